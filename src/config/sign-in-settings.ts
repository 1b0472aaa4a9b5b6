import { z } from 'zod'
import { count, registries, whole } from './setting-types.ts'

/** Settings of people's sign-in. */
export const SIGN_IN_SETTINGS = {
  BERTH_SESSION_HOURS: count(168, 8760).describe('How long a person stays signed in at most, however much they do.'),
  BERTH_SESSION_IDLE_MINUTES: whole(1440, 5, 525_600).describe(
    'How long a person who does nothing stays signed in, to the minute. An open live subscription counts as doing something.',
  ),
  BERTH_SESSIONS: count(20, 1000).describe(
    'Maximum number of sessions per user; a further sign-in ends the oldest of them.',
  ),
  BERTH_SIGN_IN_TRIES: count(10, 1000).describe(
    'Maximum number of attempts to sign in as one user by password or code within 15 minutes, from all clients together; three times as many per client address. All processes count together.',
  ),
  BERTH_PASSWORD_MEMORY_KB: whole(19_456, 7168, 4_194_304).describe(
    'Memory that hashing a password takes (Argon2id), in KB. A password is hashed anew at the next sign-in when this or the passes have changed.',
  ),
  BERTH_PASSWORD_PASSES: whole(2, 1, 100).describe('Passes over its memory that hashing a password takes (Argon2id).'),
  BERTH_PASSWORD_HASHES: whole(2, 1, 64).describe(
    'Maximum number of passwords that an API process hashes at a time; more wait, and beyond 16 times as many, sign-ins are refused for a moment.',
  ),
  BERTH_OIDC_ISSUER: z
    .url({ protocol: /^https?$/, error: 'must be the address of an issuer, such as https://login.example.com' })
    .optional()
    .describe('Issuer of the company’s own OpenID Connect provider, by whose accounts people can sign in.'),
  BERTH_OIDC_CLIENT_ID: z.string().min(1).default('berth').describe('Id of Berth as a client of that provider.'),
  BERTH_OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('Secret of Berth as a client of that provider.'),
  BERTH_OIDC_NAME: z
    .string()
    .min(1)
    .max(60)
    .default('your company')
    .describe('Name of that provider, as the page for signing in shows it.'),
  BERTH_OIDC_PRIVATE_HOSTS: registries().describe(
    'Hosts of that provider that may be on private addresses or on this machine, and reached by plain HTTP: hosts with or without a port, addresses or CIDR ranges, comma-separated.',
  ),
}
