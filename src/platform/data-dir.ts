import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { makeFolder } from '../storage/files/durable-files.ts'
import { faultInWords, isDiskFull } from '../storage/files/file-faults.ts'
import { readOrMakeSecretFile } from '../storage/files/secret-file.ts'
import { newSecret } from '../storage/secrets/token-secret.ts'

/** What a Berth keeps beside its database, under BERTH_DATA_DIR. */
export interface DataDir {
  path: string
  /** Empty in a process that is only an ingress: it reads no secret, and so none may reach it. */
  adminToken: string
  /** Where the admin token can be read; null when the environment gave it. */
  adminTokenFile: string | null
  /** Whether this start has generated it. */
  isAdminTokenNew: boolean
}

export const isIngressOnly = ({ BERTH_ROLES }: Config) => BERTH_ROLES.every((role) => role === 'ingress')

/** Whether further processes serve its port. Other processes than an ingress alone hold secrets, which these must not inherit. */
export const isIngressDivided = (config: Config) => config.BERTH_INGRESS_PROCESSES > 1 && isIngressOnly(config)

/** Opens the folder, and makes in it what is missing. Files that hold secrets have mode 0600. */
export function openDataDir(config: Config): DataDir {
  const path = resolve(config.BERTH_DATA_DIR)
  try {
    return openAt(path, config)
  } catch (error) {
    throw explained(error as NodeJS.ErrnoException, path)
  }
}

function openAt(path: string, config: Config): DataDir {
  makeFolder(path)
  const adminTokenFile = join(path, 'admin-token')
  const given = config.BERTH_ADMIN_TOKEN
  if (isIngressOnly(config)) return { path, adminToken: '', adminTokenFile: null, isAdminTokenNew: false }
  if (given) return { path, adminToken: given, adminTokenFile: null, isAdminTokenNew: false }
  let isAdminTokenNew = false
  const adminToken = readOrMakeSecretFile(adminTokenFile, () => {
    isAdminTokenNew = true
    return newSecret('USER')
  })
  return { path, adminToken, adminTokenFile, isAdminTokenNew }
}

function explained(error: NodeJS.ErrnoException, path: string): Error {
  const fault = faultInWords(error)
  if (!fault) return error
  const where = error.path && error.path !== path ? ` (${error.path})` : ''
  const remedy = isDiskFull(error)
    ? 'Free some space there, or set BERTH_DATA_DIR to a folder on another disk.'
    : 'Set BERTH_DATA_DIR to a folder that can be written.'
  return new Error(`The data directory ${path} cannot be used: ${fault}${where}. ${remedy}`)
}
