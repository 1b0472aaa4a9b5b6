import { useEffect, useState } from 'react'
import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  Autocomplete,
  Dialog,
  Input,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components'
import { useQuery } from 'urql'
import { useLocation } from 'wouter'
import { useSession } from '../account/session.tsx'
import { pathTo } from '../routes.ts'
import { Search } from './documents.ts'
import { keep, readKept } from './draft.ts'
import { Icon, type IconName } from './icons.tsx'
import { activeKeys } from './keys.ts'
import styles from './palette.module.css'

interface Entry {
  id: string
  label: string
  about: string
  icon: IconName
  href?: string | undefined
  run?: (() => void) | undefined
}

const RECENT = 'recent'
const MAX_RECENT = 8
const MAX_SHOWN = 40
const SEARCH_WAIT_MS = 120

/** Jumps to whatever is named: things of the account, screens, actions of what is on screen. Recent ones come first. */
export default function Palette({ screens, onClose }: { screens: readonly Entry[]; onClose: () => void }) {
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  const [actions] = useState(() =>
    activeKeys()
      .filter(({ keys }) => keys !== 'Mod+k')
      .map(({ keys, about, run }): Entry => ({ id: `key ${keys}`, label: about, about: keys, icon: 'zap', run })),
  )
  const found = useFound(text)
  const wanted = text.trim().toLowerCase()
  const matches = ({ label, about }: Entry) => `${label} ${about}`.toLowerCase().includes(wanted)
  const recent = wanted === '' ? (readKept<Entry[]>(RECENT) ?? []) : []
  const known = [...recent, ...found, ...[...actions, ...screens].filter(matches)]
  const entries = known.filter(({ id }, at) => known.findIndex((each) => each.id === id) === at).slice(0, MAX_SHOWN)
  const choose = (id: unknown) => {
    const entry = entries.find((each) => each.id === id)
    if (!entry) return
    onClose()
    if (!entry.href) return entry.run?.()
    const rest = (readKept<Entry[]>(RECENT) ?? []).filter((each) => each.id !== entry.id)
    keep(RECENT, [entry, ...rest].slice(0, MAX_RECENT))
    navigate(entry.href)
  }
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(isOpen) => isOpen || onClose()} className={styles.overlay ?? ''}>
      <Modal className={styles.modal ?? ''}>
        <Dialog aria-label="Search and jump" className={styles.dialog ?? ''}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField aria-label="Search" autoFocus className={styles.search ?? ''}>
              <Icon name="search" />
              <Input placeholder="App, environment, host, screen or action" className={styles.input ?? ''} />
            </SearchField>
            <AriaMenu
              aria-label="What was found"
              className={styles.list ?? ''}
              onAction={choose}
              renderEmptyState={() => <p className={styles.nothing}>Nothing has this name.</p>}
            >
              {entries.map(({ id, label, about, icon }) => (
                <AriaMenuItem key={id} id={id} textValue={label} className={styles.item ?? ''}>
                  <Icon name={icon} />
                  <span className="clip">{label}</span>
                  <span className="soft clip">{about}</span>
                </AriaMenuItem>
              ))}
            </AriaMenu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

const KINDS = {
  APP: ['box', 'App'],
  APP_ENV: ['layers', 'Environment'],
  DEPLOYMENT: ['rocket', 'Deployment'],
  HOST: ['globe', 'Host'],
} as const

/** What the server finds, once the typing pauses. */
function useFound(text: string): Entry[] {
  const { account } = useSession()
  const [searched, setSearched] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSearched(text.trim()), SEARCH_WAIT_MS)
    return () => clearTimeout(timer)
  }, [text])
  const [{ data }] = useQuery({
    query: Search,
    variables: { accountId: account?.id ?? '', text: searched },
    pause: !account || searched === '',
  })
  if (searched === '' || text.trim() === '') return []
  return (data?.search ?? []).map(({ kind, id, name, appId, app, appEnv }) => {
    const [icon, about] = KINDS[kind]
    const href = appEnv ? pathTo('deployments', { env: appEnv.cliEnvName }) : pathTo('app', { appId })
    return { id, label: name, about: [about, app?.name].filter(Boolean).join(' of '), icon, href }
  })
}
