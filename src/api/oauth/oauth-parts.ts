import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Services } from '../../services/services.ts'
import type { Admission } from '../http/admission.ts'

export interface OauthParts {
  services: Services
  config: Config
  admission: Admission
  log: Logger
}
