import './trusted-types.ts'
import './ui/base.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

const root = document.getElementById('console')
if (root) createRoot(root).render(<App />)
