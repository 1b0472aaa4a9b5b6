import { graphql } from '../../graphql/graphql.ts'

export const Members = graphql(`
  query Members($accountId: ID!, $after: String) {
    members(accountId: $accountId, first: 50, after: $after) {
      totalCount
      nodes { userId email roles appEnvIds createdAt user { id username } }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const Invitations = graphql(`
  query Invitations($accountId: ID!, $after: String) {
    invitations(accountId: $accountId, first: 50, after: $after) {
      nodes { id email roles appEnvIds status createdAt expiresAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const Invite = graphql(`
  mutation Invite($input: CreateInvitationInput!) {
    createInvitation(input: $input) { invitationUrl invitation { id } }
  }
`)

export const RevokeInvitation = graphql(`
  mutation RevokeInvitation($input: RevokeInvitationInput!) {
    revokeInvitation(input: $input) { message }
  }
`)

export const ChangeMember = graphql(`
  mutation ChangeMember($input: UpdateMemberInput!) {
    updateMember(input: $input) { userId roles appEnvIds }
  }
`)

export const RemoveMember = graphql(`
  mutation RemoveMember($input: RemoveMemberInput!) {
    removeMember(input: $input) { message }
  }
`)

export const TransferAccount = graphql(`
  mutation TransferAccount($input: TransferAccountInput!) {
    transferAccount(input: $input) { message roles kept }
  }
`)

export const LeaveAccount = graphql(`
  mutation LeaveAccount($input: LeaveAccountInput!) {
    leaveAccount(input: $input) { message }
  }
`)
