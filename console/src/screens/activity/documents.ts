import { graphql } from '../../graphql/graphql.ts'

export const AuditLog = graphql(`
  query AuditLog($accountId: ID!, $after: String, $action: String, $actorId: ID, $targetId: ID, $from: DateTime, $to: DateTime) {
    auditLog(accountId: $accountId, first: 50, after: $after, action: $action, actorId: $actorId, targetId: $targetId, from: $from, to: $to) {
      nodes {
        id sequence action actorId actorType address requestId targetId targetType tokenId createdAt details changesLeftOut
        token { id name }
        changes { id type name field before after appEnvId appEnv { id cliEnvName } }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const PastEvents = graphql(`
  query PastEvents($accountId: ID!, $after: String, $type: [EventType!], $appEnvId: ID, $from: DateTime, $to: DateTime) {
    events(accountId: $accountId, first: 50, after: $after, type: $type, appEnvId: $appEnvId, from: $from, to: $to) {
      nodes {
        cursor type createdAt payload appId appEnvId operationId
        app { id name }
        appEnv { id name cliEnvName app { id name } }
        operation { id kind status }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`)
