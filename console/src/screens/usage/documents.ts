import { graphql } from '../../graphql/graphql.ts'

export const UsageTotals = graphql(`
  query UsageTotals($accountId: ID!, $from: DateTime, $to: DateTime, $labelKey: String) {
    usage(accountId: $accountId, from: $from, to: $to, labelKey: $labelKey) {
      currency forecast from to total
      totals { kind unit quantity amount }
      builds { cpuSeconds writtenMb cacheMb }
      byLabel { value total totals { kind unit quantity amount } }
    }
  }
`)

export const UsageLines = graphql(`
  query UsageLines($accountId: ID!, $from: DateTime, $to: DateTime, $after: String) {
    usageLines(accountId: $accountId, from: $from, to: $to, first: 1000, after: $after) {
      nodes { day envName appEnvId kind unit quantity amount appEnv { id name cliEnvName app { id name } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const Statements = graphql(`
  query Statements($accountId: ID!, $after: String) {
    statements(accountId: $accountId, first: 12, after: $after) {
      nodes { month currency total frozenAt lines { appEnvId envName kind unit quantity amount } }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const AccountBudget = graphql(`
  query AccountBudget($accountId: ID!) {
    budget(accountId: $accountId) { amount currency spent alerts }
  }
`)

export const SetBudget = graphql(`
  mutation SetBudget($input: SetBudgetInput!) {
    setBudget(input: $input) { accountId amount currency }
  }
`)

export const DeleteBudget = graphql(`
  mutation DeleteBudget($input: DeleteBudgetInput!) {
    deleteBudget(input: $input) { message }
  }
`)
