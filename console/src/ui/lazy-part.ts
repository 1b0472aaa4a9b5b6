import { type ComponentType, lazy } from 'react'
import { PAUSES_MS } from '../graphql/persistent-fetch.ts'

const RELOADED = 'berth.reloaded'
/** A file that is missing for another reason than an upgrade does not reload the page for ever. */
const RELOAD_AGAIN_MS = 30_000
const ASK_MS = 2_000

/**
 * A part of the page that is a file of its own, loaded when it is shown. Without an answer it is loaded again; when that is
 * no use, as after an upgrade, whose files have other names, the page loads itself anew once Berth answers. What was typed
 * is kept.
 */
export const lazyPart = <Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) =>
  lazy(() => loadPersistently(load))

async function loadPersistently<Part>(load: () => Promise<Part>): Promise<Part> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await load()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  try {
    return await load()
  } catch (error) {
    void reloadOnceAnswered()
    throw error
  }
}

async function reloadOnceAnswered(): Promise<void> {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0)
  if (Date.now() - last < RELOAD_AGAIN_MS) return
  for (;;) {
    const answer = await fetch('/console/icon.svg', { cache: 'no-store' }).catch(() => null)
    if (answer?.ok) break
    await new Promise((resolve) => setTimeout(resolve, ASK_MS))
  }
  sessionStorage.setItem(RELOADED, `${Date.now()}`)
  location.reload()
}
