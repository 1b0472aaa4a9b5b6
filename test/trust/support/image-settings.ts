import { LISTED } from './attackers-registry.ts'

/** Cases with equal settings share an instance. */
export const IMAGE_SETTINGS = { BERTH_PRIVATE_REGISTRIES: LISTED, BERTH_OPERATION_ATTEMPTS: '1' }
