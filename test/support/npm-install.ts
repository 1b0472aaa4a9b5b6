import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT/

/** Installs the packages of a folder by its lock file. Why they could not be had, with a printed reason; null once they are there. */
export async function npmInstall(folder: string, what: string, ...options: string[]): Promise<string | null> {
  try {
    await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', ...options], { cwd: folder })
    return null
  } catch (error) {
    const [code] = UNREACHABLE.exec((error as { stderr: string }).stderr) ?? []
    if (!code) throw error
    const reason = `The packages of ${what} are not cached, and no registry answers: ${code}`
    console.warn(reason)
    return reason
  }
}
