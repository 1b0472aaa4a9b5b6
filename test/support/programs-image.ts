import { realpathSync } from 'node:fs'
import type Docker from 'dockerode'
import type { Pack } from 'tar-stream'
import { addPrograms, importRoot } from '../../scripts/image-root.ts'
import { has, versionOf } from './build-images.ts'

const IMAGE = `berth-stand-in-programs:${versionOf(import.meta.filename)}`

/** Runs `node`, and has programs of every ordinary image: abandoned commands are killed with `sh` and `cat`. */
export async function ensureProgramsImage(docker: Docker): Promise<string> {
  if (await has(docker, IMAGE)) return IMAGE
  try {
    await importRoot(docker, IMAGE, fill)
  } catch (error) {
    // Engines with containerd's store refuse the second of two test files that make it at once.
    if (!(await has(docker, IMAGE))) throw error
  }
  return IMAGE
}

const fill = (archive: Pack): Promise<void> =>
  addPrograms(archive, {
    'usr/bin/node': realpathSync(process.execPath),
    'bin/sh': '/bin/sh',
    'bin/cat': '/bin/cat',
    'bin/sleep': '/bin/sleep',
  })
