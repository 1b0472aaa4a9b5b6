import { existsSync } from 'node:fs'
import { DEFAULT_SOCKET, findEngine } from './find-engine.mjs'
import { provideEngine } from './install-engine.mjs'
import { oneAtATime } from './one-at-a-time.mjs'
import { SetupError } from './step.mjs'

/**
 * Finds an engine, or installs and starts one. Returns the environment that Berth needs to reach it. `need`: without a
 * 'required' engine it fails; without a 'wanted' one it says so, and Berth starts without; a 'sought' one is used only
 * if it runs.
 */
export async function prepareEngine(root, dataDir, need) {
  try {
    let address = null
    const isThere = async () => {
      address = await findEngine()
      return Boolean(address) || need === 'sought'
    }
    await oneAtATime(root, isThere, async (onStart) => {
      address = await provideEngine(dataDir, onStart)
    })
    if (address) return address === `unix://${DEFAULT_SOCKET}` ? {} : { DOCKER_HOST: address }
    if (need === 'sought') return {}
    throw new SetupError(advice())
  } catch (error) {
    if (need === 'required' || !(error instanceof SetupError)) throw error
    console.log(`\n${error.message}\n`)
    return {}
  }
}

/** Instructions for this machine. */
function advice() {
  if (process.env.DOCKER_HOST) {
    return `No container engine answers at DOCKER_HOST=${process.env.DOCKER_HOST}. Start it, or unset DOCKER_HOST.`
  }
  if (process.platform === 'darwin') {
    return 'No container engine answers. Start Docker Desktop, OrbStack or Colima; to get one:\n  brew install colima docker && colima start'
  }
  if (process.platform === 'win32') {
    return 'No container engine answers. Run Berth inside WSL 2, with Docker Desktop or Docker Engine in it:\n  https://docs.docker.com/desktop/features/wsl/'
  }
  if (existsSync(DEFAULT_SOCKET)) {
    return `Docker Engine's socket ${DEFAULT_SOCKET} is there but does not let ${process.env.USER ?? 'this user'} in. Either:\n  sudo usermod -aG docker "$USER" && newgrp docker\nor, if the engine is stopped:\n  sudo systemctl start docker`
  }
  return 'No container engine answers. To get one:\n  sudo apt-get update && sudo apt-get install -y docker.io && sudo usermod -aG docker "$USER" && newgrp docker\nor, on other distributions, see https://docs.docker.com/engine/install/'
}
