import { z } from 'zod'
import { count, seconds, switchable, whole } from './setting-types.ts'

/** Settings of OAuth, by which users let programs of others act for them, and of rotated tokens. */
export const OAUTH_SETTINGS = {
  BERTH_OAUTH: switchable(true).describe(
    'Whether users can authorise applications of others by OAuth 2.1. Needs BERTH_API_URL where the API is reached by anything but loopback.',
  ),
  BERTH_OAUTH_REGISTRATION: z
    .enum(['open', 'admin', 'off'])
    .default('open')
    .describe(
      'Registration of OAuth clients. open: any client, as MCP clients and command-line tools expect; users decide what each may do. admin: only with a token of the installation’s admin. off: no registration.',
    ),
  BERTH_OAUTH_CLIENTS: count(1000, 1_000_000).describe(
    'Maximum number of registered OAuth clients. A further registration removes the oldest client that no user has authorised.',
  ),
  BERTH_OAUTH_CLIENT_DAYS: count(30, 3650).describe(
    'Days after which an OAuth client is deleted if no user has authorised it since.',
  ),
  BERTH_OAUTH_AUTHORIZATIONS: count(100, 10_000).describe('Applications that a user may authorise by OAuth.'),
  BERTH_OAUTH_ACCESS_TOKEN_SECONDS: seconds(3600).describe('How long an OAuth access token works.'),
  BERTH_OAUTH_REFRESH_DAYS: count(30, 365).describe(
    'Days after which an OAuth refresh token that was not used ends. Each use gives a new one.',
  ),
  BERTH_OAUTH_AUTHORIZATION_DAYS: count(365, 3650).describe(
    'Days after which a user has to authorise an application again, however often it was used.',
  ),
  BERTH_TOKEN_GRACE_SECONDS: whole(3600, 0, 604_800).describe(
    'How long the former secret of a rotated token works, unless the call says otherwise.',
  ),
}
