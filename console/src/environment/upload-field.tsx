import { type DragEvent, useRef, useState } from 'react'
import { visibleText } from '../../../text/visible-text.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icons.tsx'
import { type Chosen, chosenFrom, chosenFromDrop } from './upload.ts'
import styles from './upload-field.module.css'

interface UploadFieldProps {
  chosen: Chosen | null
  onChoose: (chosen: Chosen | null) => void
}

/** Takes a folder or an archive: dropped, or chosen by a button. Says what of it is uploaded. */
export function UploadField({ chosen, onChoose }: UploadFieldProps) {
  const folder = useRef<HTMLInputElement>(null)
  const archive = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const [isReading, setReading] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const read = async (reading: Promise<Chosen | null>) => {
    setProblem(null)
    setReading(true)
    try {
      const found = await reading
      if (found) onChoose(found)
    } catch (error) {
      onChoose(null)
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      setReading(false)
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void read(chosenFromDrop(event.dataTransfer))
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the buttons in it are the first
    <div
      className={styles.place}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="folderUp" className="soft" />
      <div className="stack tight" role="status">
        {isReading ? (
          <p>Reading the folder…</p>
        ) : chosen ? (
          <Contents chosen={chosen} />
        ) : (
          <p>Drop a folder or an archive here.</p>
        )}
        {problem && <p className="bad">{visibleText(problem)}</p>}
      </div>
      <div className="row">
        <Button icon="folderUp" isBusy={isReading} onClick={() => folder.current?.click()}>
          Choose a folder
        </Button>
        <Button icon="package" isBusy={isReading} onClick={() => archive.current?.click()}>
          Choose an archive
        </Button>
      </div>
      <input
        ref={folder}
        type="file"
        hidden
        aria-label="Folder"
        multiple
        {...{ webkitdirectory: '' }}
        onChange={(event) => void read(chosenFrom([...(event.target.files ?? [])]))}
      />
      <input
        ref={archive}
        type="file"
        hidden
        aria-label="Archive"
        accept=".zip,.tgz,.gz,.tar"
        onChange={(event) => void read(chosenFrom([...(event.target.files ?? [])]))}
      />
    </div>
  )
}

function Contents({ chosen }: { chosen: Chosen }) {
  if (chosen.kind === 'archive')
    return (
      <p>
        <b>{visibleText(chosen.file.name)}</b> <span className="soft">{sizeText(chosen.file.size)}</span>
      </p>
    )
  const { name, files, bytes, leftOut, hasRules } = chosen
  return (
    <>
      <p>
        <b>{name ? visibleText(name) : 'Files'}</b>{' '}
        <span className="soft">
          {files.length === 1 ? '1 file' : `${files.length.toLocaleString('en')} files`}, {sizeText(bytes)}
        </span>
      </p>
      <p className="soft">
        {leftOut === 0
          ? 'All of it is uploaded.'
          : `${leftOut.toLocaleString('en')} ${leftOut === 1 ? 'file or folder is' : 'files and folders are'} left out: .git, .env and ${
              hasRules ? 'what its .dockerignore names' : 'what a build installs, such as node_modules'
            }.`}
      </p>
    </>
  )
}

const MEGABYTE = 1024 * 1024

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  return bytes < MEGABYTE ? `${Math.round(bytes / 1024)} KB` : `${(bytes / MEGABYTE).toFixed(1)} MB`
}
