import { Provider } from 'urql'
import { Router } from 'wouter'
import { Frame } from './frame/frame.tsx'
import { client } from './graphql/client.ts'
import { BASE } from './routes.ts'

export function App() {
  return (
    <Provider value={client}>
      <Router base={BASE}>
        <Frame />
      </Router>
    </Provider>
  )
}
