import type { Vault } from './vault.ts'

/** The DNS records that prove a host belongs to an environment: either one is enough. */
export interface HostProof {
  /** The environment's automatic host, which the custom one may be an alias of. */
  cname: string
  /** A TXT record at `txtName`, which differs from account to account. */
  txtName: string
  txtValue: string
}

export const hostProof = (vault: Vault, accountId: string, host: string, automatic: string): HostProof => ({
  cname: automatic,
  txtName: `_berth.${host}`,
  txtValue: `berth-verify=${vault.fingerprint(`host/${accountId}/${host}`)}`,
})
