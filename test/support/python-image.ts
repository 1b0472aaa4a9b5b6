import { execFileSync } from 'node:child_process'
import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type Docker from 'dockerode'
import type { Pack } from 'tar-stream'
import { addFile, importRoot } from '../../scripts/image-root.ts'
import { addToolchain, has, STAND_IN_ENVIRONMENT, versionOf } from './build-images.ts'

/** Parts of the standard library that no program needs. Compiled modules stay: each start would compile them again. */
const LEFT_OUT = /^(test|idlelib|tkinter|turtledemo|site-packages|dist-packages|config-.*|lib2to3)$/

interface Python {
  version: string
  program: string
  library: string
  /** Where Debian's Python has what it puts into environments; others have that in their library. */
  wheels: string | null
}

const ASKED = `
import sys, sysconfig, json, ensurepip, venv
print(json.dumps({'version': '%d.%d' % sys.version_info[:2], 'program': sys.executable, 'library': sysconfig.get_paths()['stdlib'], 'wheels': sysconfig.get_config_var('WHEEL_PKG_DIR')}))
`

/**
 * This machine's Python, with the files it needs to create environments; null, with the reason printed, without one.
 */
export function findPython(): Python | null {
  try {
    return JSON.parse(execFileSync('python3', ['-c', ASKED], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }))
  } catch (error) {
    console.warn(`Python is not tested: this machine has no python3 with venv and ensurepip (${String(error)})`)
    return null
  }
}

/** Stands in for `python:<n>-bookworm` and its slim image: this machine's Python, at the path of the real ones. */
export async function ensurePythonImage(
  docker: Docker,
  { version, program, library, wheels }: Python,
): Promise<string> {
  const image = `berth-stand-in-python:${version}-${versionOf(import.meta.filename)}`
  if (await has(docker, image)) return image
  const ours = `usr/local/lib/python${version}`
  const fill = async (archive: Pack) => {
    const extensions = join(library, 'lib-dynload')
    const binaries = readdirSync(extensions).map((name) => [`${ours}/lib-dynload/${name}`, join(extensions, name)])
    const programs = { ...Object.fromEntries(binaries), [`usr/local/bin/python${version}`]: realpathSync(program) }
    await addToolchain(archive, programs)
    await addLibrary(archive, library, ours)
    if (wheels) await addLibrary(archive, wheels, wheels.replaceAll(/^\/|\/$/g, ''))
    for (const name of ['python', 'python3']) {
      archive.entry({ name: `usr/local/bin/${name}`, type: 'symlink', linkname: `python${version}` })
    }
  }
  await importRoot(docker, image, fill, STAND_IN_ENVIRONMENT)
  return image
}

async function addLibrary(archive: Pack, folder: string, below: string): Promise<void> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (LEFT_OUT.test(entry.name) || entry.name === 'lib-dynload') continue
    const [path, name] = [join(folder, entry.name), `${below}/${entry.name}`]
    if (entry.isDirectory()) await addLibrary(archive, path, name)
    else await addFile(archive, name, path)
  }
}
