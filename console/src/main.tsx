import './trusted-types.ts'
import './ui/base.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

const RELOADED = 'berth.reloaded'

// A file of this version is gone after an upgrade: the page of the new version knows its own. Once, so that a file that
// is missing for another reason does not reload for ever.
addEventListener('vite:preloadError', (event) => {
  if (sessionStorage.getItem(RELOADED)) return
  event.preventDefault()
  sessionStorage.setItem(RELOADED, 'yes')
  location.reload()
})
addEventListener('load', () => setTimeout(() => sessionStorage.removeItem(RELOADED), 10_000))

const root = document.getElementById('console')
if (root) createRoot(root).render(<App />)
