-- Editable documents and their history, for SQLite. The statements of the program are the same for PostgreSQL, so the
-- names here and there must be.
--
-- A time is RFC 3339 in UTC with six digits of a second. An id is a UUID in lower case. What is called json holds JSON as
-- text, to the byte. The largest column of a table comes last: a row is read from the left, and what is not asked for is
-- then not read.

CREATE TABLE cloud_target_files (
    target_sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
    owner TEXT NOT NULL CHECK (length(owner) <= 512),
    version INTEGER NOT NULL CHECK (version >= 0),
    current_hash TEXT NOT NULL CHECK (length(current_hash) = 64 AND current_hash NOT GLOB '*[^0-9a-f]*'),
    workspace_path TEXT NULL,
    workspace_tracked INTEGER NOT NULL CHECK (workspace_tracked IN (0, 1)),
    workspace_root_identity TEXT NULL,
    has_bom INTEGER NOT NULL CHECK (has_bom IN (0, 1)),
    source_line_endings TEXT NULL CHECK (json_valid(source_line_endings)),
    last_synced_disk_sha256 TEXT NULL
        CHECK (length(last_synced_disk_sha256) = 64 AND last_synced_disk_sha256 NOT GLOB '*[^0-9a-f]*'),
    last_synced_version INTEGER NULL CHECK (last_synced_version >= 0),
    created_at TEXT NOT NULL CHECK (length(created_at) = 27),
    updated_at TEXT NOT NULL CHECK (length(updated_at) = 27),
    line_endings TEXT NULL,
    content TEXT NOT NULL,
    CHECK ((last_synced_disk_sha256 IS NULL) = (last_synced_version IS NULL))
) STRICT;

CREATE INDEX ix_target_files_owner ON cloud_target_files (owner, target_sequence);

CREATE TABLE editing_cycles (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    target_file_id TEXT NOT NULL REFERENCES cloud_target_files (id),
    cycle_number INTEGER NOT NULL CHECK (cycle_number >= 1),
    opened_at TEXT NOT NULL CHECK (length(opened_at) = 27),
    closed_at TEXT NULL CHECK (length(closed_at) = 27),
    closing_snapshot_id TEXT NULL REFERENCES target_snapshots (id),
    UNIQUE (target_file_id, cycle_number),
    CHECK ((closed_at IS NULL) = (closing_snapshot_id IS NULL))
) STRICT;

CREATE UNIQUE INDEX uq_editing_cycles_active ON editing_cycles (target_file_id) WHERE closed_at IS NULL;

CREATE TABLE append_only_pdcp_logs (
    log_sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
    created_at TEXT NOT NULL CHECK (length(created_at) = 27),
    target_file_id TEXT NOT NULL REFERENCES cloud_target_files (id),
    status TEXT NOT NULL CHECK (status IN ('accepted', 'rejected')),
    validation_stage TEXT NOT NULL,
    failure_reason TEXT NULL,
    failure_detail TEXT NULL,
    failed_change_id TEXT NULL,
    expected_target_version INTEGER NULL CHECK (expected_target_version >= 0),
    expected_current_hash TEXT NULL
        CHECK (length(expected_current_hash) = 64 AND expected_current_hash NOT GLOB '*[^0-9a-f]*'),
    before_hash TEXT NULL CHECK (length(before_hash) = 64 AND before_hash NOT GLOB '*[^0-9a-f]*'),
    after_hash TEXT NULL CHECK (length(after_hash) = 64 AND after_hash NOT GLOB '*[^0-9a-f]*'),
    before_version INTEGER NULL CHECK (before_version >= 0),
    after_version INTEGER NULL CHECK (after_version >= 0),
    pdcp_content_hash TEXT NOT NULL
        CHECK (length(pdcp_content_hash) = 64 AND pdcp_content_hash NOT GLOB '*[^0-9a-f]*'),
    protocol_version TEXT NOT NULL,
    runtime_version TEXT NULL,
    submission_source TEXT NULL,
    parent_pdcp_log_id TEXT NULL REFERENCES append_only_pdcp_logs (id),
    regeneration_attempt INTEGER NULL CHECK (regeneration_attempt BETWEEN 1 AND 2147483647),
    regeneration_source TEXT NULL,
    client_request_id TEXT NULL CHECK (length(client_request_id) BETWEEN 1 AND 255),
    request_fingerprint TEXT NULL
        CHECK (length(request_fingerprint) = 64 AND request_fingerprint NOT GLOB '*[^0-9a-f]*'),
    warnings_json TEXT NULL CHECK (json_valid(warnings_json)),
    diagnostic_json TEXT NULL CHECK (json_valid(diagnostic_json)),
    pdcp_content TEXT NOT NULL,
    CHECK ((status = 'accepted') = (failure_reason IS NULL)),
    CHECK (status <> 'accepted' OR (before_hash IS NOT NULL AND after_hash IS NOT NULL
        AND before_version IS NOT NULL AND after_version IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX uq_pdcp_logs_target_client_request_id ON append_only_pdcp_logs (target_file_id, client_request_id)
    WHERE client_request_id IS NOT NULL;
CREATE INDEX ix_pdcp_logs_target ON append_only_pdcp_logs (target_file_id, log_sequence);
CREATE INDEX ix_pdcp_logs_accepted ON append_only_pdcp_logs (target_file_id, log_sequence) WHERE status = 'accepted';
CREATE INDEX ix_pdcp_logs_content_hash ON append_only_pdcp_logs (target_file_id, pdcp_content_hash, log_sequence);

CREATE TABLE append_only_manifest_ledger (
    ledger_sequence INTEGER PRIMARY KEY AUTOINCREMENT,
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
    derived_json TEXT NULL CHECK (json_valid(derived_json))
) STRICT;

CREATE INDEX ix_manifest_ledger_target ON append_only_manifest_ledger (target_file_id, ledger_sequence);
CREATE INDEX ix_manifest_ledger_cycle ON append_only_manifest_ledger (editing_cycle_id, ledger_sequence);
CREATE INDEX ix_manifest_ledger_log ON append_only_manifest_ledger (pdcp_log_id, ledger_sequence);

CREATE TABLE target_snapshots (
    snapshot_sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
    target_file_id TEXT NOT NULL REFERENCES cloud_target_files (id),
    snapshot_type TEXT NOT NULL CHECK (snapshot_type IN ('initial_upload', 'save_checkpoint')),
    version INTEGER NOT NULL CHECK (version >= 0),
    content_hash TEXT NOT NULL CHECK (length(content_hash) = 64 AND content_hash NOT GLOB '*[^0-9a-f]*'),
    editing_cycle_id TEXT NOT NULL REFERENCES editing_cycles (id),
    line_endings TEXT NULL,
    publication_json TEXT NULL CHECK (json_valid(publication_json)),
    created_at TEXT NOT NULL CHECK (length(created_at) = 27),
    content TEXT NOT NULL
) STRICT;

CREATE INDEX ix_target_snapshots_target ON target_snapshots (target_file_id, snapshot_sequence);
CREATE UNIQUE INDEX uq_target_snapshots_initial ON target_snapshots (target_file_id)
    WHERE snapshot_type = 'initial_upload';

CREATE TABLE observed_scope_snapshots (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    target_file_id TEXT NOT NULL REFERENCES cloud_target_files (id),
    version INTEGER NOT NULL CHECK (version >= 0),
    current_hash TEXT NOT NULL CHECK (length(current_hash) = 64 AND current_hash NOT GLOB '*[^0-9a-f]*'),
    created_at TEXT NOT NULL CHECK (length(created_at) = 27)
) STRICT;

CREATE INDEX ix_observed_scope_snapshots_target ON observed_scope_snapshots (target_file_id);

CREATE TABLE observed_scopes (
    snapshot_id TEXT NOT NULL REFERENCES observed_scope_snapshots (id) ON DELETE CASCADE,
    scope_sequence INTEGER NOT NULL CHECK (scope_sequence >= 1),
    scope_id TEXT NOT NULL CHECK (length(scope_id) BETWEEN 1 AND 255),
    kind TEXT NOT NULL,
    name TEXT NULL,
    path TEXT NULL,
    start_offset INTEGER NOT NULL CHECK (start_offset >= 0),
    end_offset INTEGER NOT NULL CHECK (end_offset >= start_offset),
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
    parser TEXT NOT NULL,
    grammar_version TEXT NULL,
    has_error INTEGER NOT NULL CHECK (has_error IN (0, 1)),
    PRIMARY KEY (snapshot_id, scope_id),
    UNIQUE (snapshot_id, scope_sequence)
) STRICT;

-- What is appended stays. INSERT OR REPLACE deletes without asking a trigger for it, so it is stopped before it begins.

CREATE TRIGGER append_only_pdcp_logs_update BEFORE UPDATE ON append_only_pdcp_logs
BEGIN SELECT RAISE(ABORT, 'append_only_pdcp_logs is append-only'); END;
CREATE TRIGGER append_only_pdcp_logs_delete BEFORE DELETE ON append_only_pdcp_logs
BEGIN SELECT RAISE(ABORT, 'append_only_pdcp_logs is append-only'); END;
CREATE TRIGGER append_only_pdcp_logs_replace BEFORE INSERT ON append_only_pdcp_logs
WHEN EXISTS (SELECT 1 FROM append_only_pdcp_logs WHERE id = NEW.id OR log_sequence = NEW.log_sequence)
    OR EXISTS (SELECT 1 FROM append_only_pdcp_logs
        WHERE target_file_id = NEW.target_file_id AND client_request_id = NEW.client_request_id)
BEGIN SELECT RAISE(ABORT, 'append_only_pdcp_logs has this id, place or request key'); END;

CREATE TRIGGER append_only_manifest_ledger_update BEFORE UPDATE ON append_only_manifest_ledger
BEGIN SELECT RAISE(ABORT, 'append_only_manifest_ledger is append-only'); END;
CREATE TRIGGER append_only_manifest_ledger_delete BEFORE DELETE ON append_only_manifest_ledger
BEGIN SELECT RAISE(ABORT, 'append_only_manifest_ledger is append-only'); END;
CREATE TRIGGER append_only_manifest_ledger_replace BEFORE INSERT ON append_only_manifest_ledger
WHEN EXISTS (SELECT 1 FROM append_only_manifest_ledger WHERE id = NEW.id OR ledger_sequence = NEW.ledger_sequence)
BEGIN SELECT RAISE(ABORT, 'append_only_manifest_ledger has this id or place'); END;

CREATE TRIGGER target_snapshots_update BEFORE UPDATE ON target_snapshots
BEGIN SELECT RAISE(ABORT, 'target_snapshots is append-only'); END;
CREATE TRIGGER target_snapshots_delete BEFORE DELETE ON target_snapshots
BEGIN SELECT RAISE(ABORT, 'target_snapshots is append-only'); END;
CREATE TRIGGER target_snapshots_replace BEFORE INSERT ON target_snapshots
WHEN EXISTS (SELECT 1 FROM target_snapshots WHERE id = NEW.id OR snapshot_sequence = NEW.snapshot_sequence)
    OR (NEW.snapshot_type = 'initial_upload' AND EXISTS (SELECT 1 FROM target_snapshots
        WHERE target_file_id = NEW.target_file_id AND snapshot_type = 'initial_upload'))
BEGIN SELECT RAISE(ABORT, 'target_snapshots has this id, place or upload'); END;

-- Observed scopes may go, but never change.

CREATE TRIGGER observed_scope_snapshots_update BEFORE UPDATE ON observed_scope_snapshots
BEGIN SELECT RAISE(ABORT, 'observed_scope_snapshots never changes'); END;
CREATE TRIGGER observed_scopes_update BEFORE UPDATE ON observed_scopes
BEGIN SELECT RAISE(ABORT, 'observed_scopes never changes'); END;
