import { realpathSync } from 'node:fs'
import type Docker from 'dockerode'
import type { Pack } from 'tar-stream'
import { addPrograms, importRoot } from '../../scripts/image-root.ts'
import { has, versionOf } from './build-images.ts'

const IMAGE = `berth-stand-in-programs:${versionOf(import.meta.filename)}`

/** Runs `node`, and has the shell and `cat` of every ordinary image, with which abandoned commands are killed. */
export async function ensureProgramsImage(docker: Docker): Promise<string> {
  if (!(await has(docker, IMAGE))) await importRoot(docker, IMAGE, fill)
  return IMAGE
}

const fill = (archive: Pack): Promise<void> =>
  addPrograms(archive, { 'usr/bin/node': realpathSync(process.execPath), 'bin/sh': '/bin/sh', 'bin/cat': '/bin/cat' })
