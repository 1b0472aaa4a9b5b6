import { graphql } from '../../graphql/graphql.ts'

export const WebhookState = graphql(`
  fragment WebhookState on Webhook {
    id version name kind address enabled disabledReason eventTypes failingSince formerSecretUntil createdAt updatedAt
  }
`)

export const Webhooks = graphql(
  `
  query Webhooks($accountId: ID!, $after: String) {
    webhooks(accountId: $accountId, first: 50, after: $after) {
      totalCount
      nodes { ...WebhookState }
      pageInfo { hasNextPage endCursor }
    }
  }
`,
  [WebhookState],
)

export const WebhookDetail = graphql(
  `
  query WebhookDetail($id: ID!) {
    webhook(id: $id) { ...WebhookState }
  }
`,
  [WebhookState],
)

export const WebhookDeliveries = graphql(`
  query WebhookDeliveries($webhookId: ID!, $after: String, $status: [WebhookDeliveryStatus!]) {
    webhookDeliveries(webhookId: $webhookId, first: 30, after: $after, status: $status) {
      nodes {
        id eventType eventCursor status attempts answerStatus answer error durationMs createdAt lastAttemptAt nextAttemptAt endedAt
        appEnvId appEnv { id name cliEnvName app { id name } }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const WebhookAttempts = graphql(`
  query WebhookAttempts($deliveryId: ID!) {
    webhookAttempts(deliveryId: $deliveryId) { number attemptedAt delivered answerStatus durationMs error }
  }
`)

export const CreateWebhook = graphql(`
  mutation CreateWebhook($input: CreateWebhookInput!) {
    createWebhook(input: $input) { secret webhook { id name kind } }
  }
`)

export const UpdateWebhook = graphql(
  `
  mutation UpdateWebhook($input: UpdateWebhookInput!) {
    updateWebhook(input: $input) { webhook { ...WebhookState } }
  }
`,
  [WebhookState],
)

export const TestWebhook = graphql(`
  mutation TestWebhook($input: TestWebhookInput!) {
    testWebhook(input: $input) { deliveryId status answerStatus durationMs error }
  }
`)

export const RotateWebhookSecret = graphql(`
  mutation RotateWebhookSecret($input: RotateWebhookSecretInput!) {
    rotateWebhookSecret(input: $input) { secret webhook { id formerSecretUntil } }
  }
`)

export const RedeliverWebhook = graphql(`
  mutation RedeliverWebhook($input: RedeliverWebhookDeliveryInput!) {
    redeliverWebhookDelivery(input: $input) { delivery { id status } }
  }
`)

export const DeleteWebhook = graphql(`
  mutation DeleteWebhook($input: DeleteWebhookInput!) {
    deleteWebhook(input: $input) { message deletedWebhookId }
  }
`)
