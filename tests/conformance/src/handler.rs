//! The protocol's handler: the program's own server, whose tools' texts are turned into the results they describe.
//!
//! Every request that the suite makes ends in a call of a tool through [`Server`], with its catalogue, its room and its
//! refusals. What is added is the part of the protocol that Assay does not offer and the suite wants to see: prompts,
//! resources, completions, progress, questions to the client.

use std::sync::Arc;

use assay_conformance_fixture::REQUEST;
use assay_mcp::{Server, Toolbox};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, CustomRequest,
        CustomResult, GetPromptRequestParams, GetPromptResponse, GetPromptResult, InitializeRequestParams,
        InitializeResult, InputRequiredResult, InputResponses, JsonObject, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        ServerCapabilities, ServerConfig, SubscribeRequestParams, Tool, UnsubscribeRequestParams,
    },
    service::RequestContext,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

type Context = RequestContext<RoleServer>;

/// Serves the fixture's tools as all that they describe.
pub(crate) struct Fixture<T> {
    server: Server<T>,
}

impl<T> Clone for Fixture<T> {
    fn clone(&self) -> Self {
        Self { server: self.server.clone() }
    }
}

/// What a tool's text describes.
#[derive(Deserialize)]
struct Told {
    /// Sent before the outcome, of a hundred.
    #[serde(default)]
    progress: Vec<f64>,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Result(Value),
    Error(ErrorData),
}

/// A result that may ask the client first. Its type is in it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Round<R> {
    Asks(InputRequiredResult),
    Whole(R),
}

impl<R> Round<R> {
    fn into<S: From<InputRequiredResult> + From<R>>(self) -> S {
        match self {
            Self::Asks(result) => result.into(),
            Self::Whole(result) => result.into(),
        }
    }
}

impl<T: Toolbox> Fixture<T> {
    pub(crate) fn new(toolbox: T) -> Self {
        Self { server: Server::new(Arc::new(toolbox)) }
    }

    /// Asks the tool that is named after a method.
    async fn ask<R: DeserializeOwned>(
        &self,
        tool: &'static str,
        arguments: JsonObject,
        context: Context,
    ) -> Result<R, ErrorData> {
        let call = CallToolRequestParams::new(tool).with_arguments(arguments);
        match self.server.call_tool(call, context.clone()).await? {
            CallToolResponse::Complete(result) => described(&result, &context).await,
            other => Err(broken(format!("{tool} answered {other:?}"))),
        }
    }
}

impl<T: Toolbox> ServerHandler for Fixture<T> {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.server.get_info();
        info.capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_completions()
            .build();
        info
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.server.get_tool(name)
    }

    /// The older era subscribes by a request of its own; in the newer one it would take a stream, which is not offered.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.server.initialize(request, context).await?;
        result.capabilities = self.get_info().capabilities;
        if let Some(resources) = &mut result.capabilities.resources {
            resources.subscribe = Some(true);
        }
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        self.server.list_tools(request, context).await
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let beside = beside(request.input_responses.take(), request.request_state.take(), &context);
        request.arguments.get_or_insert_default().insert(REQUEST.to_owned(), beside);
        let result = match self.server.call_tool(request, context.clone()).await? {
            // A refusal describes nothing: it is a result already.
            CallToolResponse::Complete(result) if result.is_error != Some(true) => result,
            other => return Ok(other),
        };
        let mut round: Round<CallToolResult> = described(&result, &context).await?;
        if let Round::Whole(whole) = &mut round {
            whole.meta = result.meta;
        }
        Ok(round.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.ask("prompts_list", JsonObject::new(), context).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let beside = beside(request.input_responses, request.request_state, &context);
        let arguments = members([
            ("name", request.name.into()),
            ("arguments", request.arguments.unwrap_or_default().into()),
            (REQUEST, beside),
        ]);
        let round: Round<GetPromptResult> = self.ask("prompts_get", arguments, context).await?;
        Ok(round.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.ask("resources_list", JsonObject::new(), context).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.ask("resources_templates_list", JsonObject::new(), context).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let round: Round<ReadResourceResult> =
            self.ask("resources_read", members([("uri", request.uri.into())]), context).await?;
        Ok(round.into())
    }

    async fn complete(&self, _: CompleteRequestParams, context: Context) -> Result<CompleteResult, ErrorData> {
        self.ask("completion_complete", JsonObject::new(), context).await
    }

    /// Nothing of the fixture ever changes, so there is nothing to remember.
    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn on_custom_request(&self, request: CustomRequest, context: Context) -> Result<CustomResult, ErrorData> {
        self.server.on_custom_request(request, context).await
    }
}

/// What the one text of a result describes, after the progress that comes before it.
async fn described<R: DeserializeOwned>(result: &CallToolResult, context: &Context) -> Result<R, ErrorData> {
    let text = result.content.first().and_then(|block| block.as_text()).map_or("", |block| &block.text);
    let told: Told = serde_json::from_str(text).map_err(broken)?;
    if let Some(token) = context.meta.get_progress_token() {
        for progress in told.progress {
            let progress = ProgressNotificationParam::new(token.clone(), progress).with_total(100.0);
            context.peer.notify_progress(progress).await.map_err(broken)?;
        }
    }
    match told.outcome {
        Outcome::Result(result) => serde_json::from_value(result).map_err(broken),
        Outcome::Error(error) => Err(error),
    }
}

/// What the protocol carries beside the arguments.
fn beside(responses: Option<InputResponses>, state: Option<String>, context: &Context) -> Value {
    json!({
        "input_responses": responses.unwrap_or_default(),
        "request_state": state,
        "capabilities": context.client_capabilities().unwrap_or_default(),
    })
}

fn members<const N: usize>(members: [(&str, Value); N]) -> JsonObject {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A fault of the fixture: said in full, since only its tests see it.
fn broken(error: impl ToString) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
