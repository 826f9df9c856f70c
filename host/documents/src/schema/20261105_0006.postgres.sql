-- Editable documents and their history, for PostgreSQL. The statements of the program are the same for SQLite, so the
-- names here and there must be.
--
-- A time is RFC 3339 in UTC with six digits of a second. An id is a UUID in lower case. JSON is text with
-- a check, since it must come back to the byte and be the same from both databases: JSONB sorts keys, drops the spelling
-- of numbers and refuses an escaped NUL.

CREATE TABLE cloud_target_files (
    target_sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
    owner TEXT NOT NULL CHECK (length(owner) <= 512),
    version BIGINT NOT NULL CHECK (version >= 0),
    current_hash TEXT NOT NULL CHECK (current_hash ~ '^[0-9a-f]{64}$'),
    workspace_path TEXT NULL,
    workspace_tracked BOOLEAN NOT NULL,
    workspace_root_identity TEXT NULL,
    has_bom BOOLEAN NOT NULL,
    source_line_endings TEXT NULL CHECK (source_line_endings::json IS NOT NULL OR source_line_endings IS NULL),
    last_synced_disk_sha256 TEXT NULL
        CHECK (last_synced_disk_sha256 ~ '^[0-9a-f]{64}$'),
    last_synced_version BIGINT NULL CHECK (last_synced_version >= 0),
    created_at TEXT NOT NULL CHECK (length(created_at) = 27),
    updated_at TEXT NOT NULL CHECK (length(updated_at) = 27),
    line_endings TEXT NULL,
    content TEXT NOT NULL,
    CHECK ((last_synced_disk_sha256 IS NULL) = (last_synced_version IS NULL))
);

CREATE INDEX ix_target_files_owner ON cloud_target_files (owner, target_sequence);

CREATE TABLE editing_cycles (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    target_file_id TEXT NOT NULL REFERENCES cloud_target_files (id),
    cycle_number BIGINT NOT NULL CHECK (cycle_number >= 1),
    opened_at TEXT NOT NULL CHECK (length(opened_at) = 27),
    closed_at TEXT NULL CHECK (length(closed_at) = 27),
    closing_snapshot_id TEXT NULL,
    UNIQUE (target_file_id, cycle_number),
    CHECK ((closed_at IS NULL) = (closing_snapshot_id IS NULL))
);

CREATE UNIQUE INDEX uq_editing_cycles_active ON editing_cycles (target_file_id) WHERE closed_at IS NULL;

CREATE TABLE append_only_pdcp_logs (
    log_sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
    created_at TEXT NOT NULL CHECK (length(created_at) = 27),
    target_file_id TEXT NOT NULL REFERENCES cloud_target_files (id),
    status TEXT NOT NULL CHECK (status IN ('accepted', 'rejected')),
    validation_stage TEXT NOT NULL,
    failure_reason TEXT NULL,
    failure_detail TEXT NULL,
    failed_change_id TEXT NULL,
    expected_target_version BIGINT NULL CHECK (expected_target_version >= 0),
    expected_current_hash TEXT NULL
        CHECK (expected_current_hash ~ '^[0-9a-f]{64}$'),
    before_hash TEXT NULL CHECK (before_hash ~ '^[0-9a-f]{64}$'),
    after_hash TEXT NULL CHECK (after_hash ~ '^[0-9a-f]{64}$'),
    before_version BIGINT NULL CHECK (before_version >= 0),
    after_version BIGINT NULL CHECK (after_version >= 0),
    pdcp_content_hash TEXT NOT NULL
        CHECK (pdcp_content_hash ~ '^[0-9a-f]{64}$'),
    protocol_version TEXT NOT NULL,
    runtime_version TEXT NULL,
    submission_source TEXT NULL,
    parent_pdcp_log_id TEXT NULL REFERENCES append_only_pdcp_logs (id),
    regeneration_attempt BIGINT NULL CHECK (regeneration_attempt BETWEEN 1 AND 2147483647),
    regeneration_source TEXT NULL,
    client_request_id TEXT NULL CHECK (length(client_request_id) BETWEEN 1 AND 255),
    request_fingerprint VARCHAR(64) NULL
        CHECK (request_fingerprint ~ '^[0-9a-f]{64}$'),
    warnings_json TEXT NULL CHECK (warnings_json::json IS NOT NULL OR warnings_json IS NULL),
    diagnostic_json TEXT NULL CHECK (diagnostic_json::json IS NOT NULL OR diagnostic_json IS NULL),
    pdcp_content TEXT NOT NULL,
    CHECK ((status = 'accepted') = (failure_reason IS NULL)),
    CHECK (status <> 'accepted' OR (before_hash IS NOT NULL AND after_hash IS NOT NULL
        AND before_version IS NOT NULL AND after_version IS NOT NULL))
);

CREATE UNIQUE INDEX uq_pdcp_logs_target_client_request_id ON append_only_pdcp_logs (target_file_id, client_request_id)
    WHERE client_request_id IS NOT NULL;
CREATE INDEX ix_pdcp_logs_target ON append_only_pdcp_logs (target_file_id, log_sequence);
CREATE INDEX ix_pdcp_logs_accepted ON append_only_pdcp_logs (target_file_id, log_sequence) WHERE status = 'accepted';
CREATE INDEX ix_pdcp_logs_content_hash ON append_only_pdcp_logs (target_file_id, pdcp_content_hash, log_sequence);

CREATE TABLE append_only_manifest_ledger (
    ledger_sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
    target_file_id TEXT NOT NULL REFERENCES cloud_target_files (id),
    pdcp_log_id TEXT NOT NULL REFERENCES append_only_pdcp_logs (id),
    editing_cycle_id TEXT NOT NULL REFERENCES editing_cycles (id),
    origin TEXT NOT NULL DEFAULT 'typed' CHECK (origin = 'typed'),
    created_at TEXT NOT NULL CHECK (length(created_at) = 27),
    change_id TEXT NOT NULL,
    intent TEXT NOT NULL,
    input_state TEXT NULL,
    output_state TEXT NULL,
    affected_region TEXT NULL,
    user_visible_change TEXT NULL,
    risk TEXT NULL,
    derived_json TEXT NULL CHECK (derived_json::json IS NOT NULL OR derived_json IS NULL)
);

CREATE INDEX ix_manifest_ledger_target ON append_only_manifest_ledger (target_file_id, ledger_sequence);
CREATE INDEX ix_manifest_ledger_cycle ON append_only_manifest_ledger (editing_cycle_id, ledger_sequence);
CREATE INDEX ix_manifest_ledger_log ON append_only_manifest_ledger (pdcp_log_id, ledger_sequence);

CREATE TABLE target_snapshots (
    snapshot_sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
    target_file_id TEXT NOT NULL REFERENCES cloud_target_files (id),
    snapshot_type TEXT NOT NULL CHECK (snapshot_type IN ('initial_upload', 'save_checkpoint')),
    version BIGINT NOT NULL CHECK (version >= 0),
    content_hash TEXT NOT NULL CHECK (content_hash ~ '^[0-9a-f]{64}$'),
    editing_cycle_id TEXT NOT NULL REFERENCES editing_cycles (id),
    line_endings TEXT NULL,
    publication_json TEXT NULL CHECK (publication_json::json IS NOT NULL OR publication_json IS NULL),
    created_at TEXT NOT NULL CHECK (length(created_at) = 27),
    content TEXT NOT NULL
);

CREATE INDEX ix_target_snapshots_target ON target_snapshots (target_file_id, snapshot_sequence);
CREATE UNIQUE INDEX uq_target_snapshots_initial ON target_snapshots (target_file_id)
    WHERE snapshot_type = 'initial_upload';

ALTER TABLE editing_cycles ADD FOREIGN KEY (closing_snapshot_id) REFERENCES target_snapshots (id);

CREATE TABLE observed_scope_snapshots (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    target_file_id TEXT NOT NULL REFERENCES cloud_target_files (id),
    version BIGINT NOT NULL CHECK (version >= 0),
    current_hash TEXT NOT NULL CHECK (current_hash ~ '^[0-9a-f]{64}$'),
    created_at TEXT NOT NULL CHECK (length(created_at) = 27)
);

CREATE INDEX ix_observed_scope_snapshots_target ON observed_scope_snapshots (target_file_id);

CREATE TABLE observed_scopes (
    snapshot_id TEXT NOT NULL REFERENCES observed_scope_snapshots (id) ON DELETE CASCADE,
    scope_sequence BIGINT NOT NULL CHECK (scope_sequence >= 1),
    scope_id TEXT NOT NULL CHECK (length(scope_id) BETWEEN 1 AND 255),
    kind TEXT NOT NULL,
    name TEXT NULL,
    path TEXT NULL,
    start_offset BIGINT NOT NULL CHECK (start_offset >= 0),
    end_offset BIGINT NOT NULL CHECK (end_offset >= start_offset),
    sha256 TEXT NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    parser TEXT NOT NULL,
    grammar_version TEXT NULL,
    has_error BOOLEAN NOT NULL,
    PRIMARY KEY (snapshot_id, scope_id),
    UNIQUE (snapshot_id, scope_sequence)
);

-- What is appended stays.

CREATE FUNCTION assay_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'restrict_violation', MESSAGE = TG_TABLE_NAME || ' is append-only';
END
$$;

CREATE TRIGGER append_only_pdcp_logs_change BEFORE UPDATE OR DELETE ON append_only_pdcp_logs
    FOR EACH ROW EXECUTE FUNCTION assay_refuse_change();
CREATE TRIGGER append_only_pdcp_logs_truncate BEFORE TRUNCATE ON append_only_pdcp_logs
    FOR EACH STATEMENT EXECUTE FUNCTION assay_refuse_change();
CREATE TRIGGER append_only_manifest_ledger_change BEFORE UPDATE OR DELETE ON append_only_manifest_ledger
    FOR EACH ROW EXECUTE FUNCTION assay_refuse_change();
CREATE TRIGGER append_only_manifest_ledger_truncate BEFORE TRUNCATE ON append_only_manifest_ledger
    FOR EACH STATEMENT EXECUTE FUNCTION assay_refuse_change();
CREATE TRIGGER target_snapshots_change BEFORE UPDATE OR DELETE ON target_snapshots
    FOR EACH ROW EXECUTE FUNCTION assay_refuse_change();
CREATE TRIGGER target_snapshots_truncate BEFORE TRUNCATE ON target_snapshots
    FOR EACH STATEMENT EXECUTE FUNCTION assay_refuse_change();

-- Observed scopes may go, but never change.

CREATE TRIGGER observed_scope_snapshots_change BEFORE UPDATE ON observed_scope_snapshots
    FOR EACH ROW EXECUTE FUNCTION assay_refuse_change();
CREATE TRIGGER observed_scopes_change BEFORE UPDATE ON observed_scopes
    FOR EACH ROW EXECUTE FUNCTION assay_refuse_change();
