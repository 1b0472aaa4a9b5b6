import type Docker from 'dockerode'
import { SETTINGS } from '../../src/config/settings.ts'
import { has } from './build-images.ts'

/** What builders of accounts are made of, by default. */
export const BUILDER_IMAGE = SETTINGS.shape.BERTH_BUILDER_IMAGE.parse(undefined)

/** Null: the engine has it. Tests do not fetch it: a registry on the internet has it, and no test needs the internet. */
export async function builderImageProblem(docker: Docker): Promise<string | null> {
  if (await has(docker, BUILDER_IMAGE)) return null
  return `Skipped: builders of accounts need the image ${BUILDER_IMAGE} on the engine (docker pull ${BUILDER_IMAGE})`
}
