import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type ChosenFile, isStored } from '../../data/use/chosen-files.ts'
import { useLines } from '../../data/use/use-list.ts'
import { t, tn } from '../../language/words.ts'
import { StoredThumb, trimStoredName } from '../attachments/attachments.tsx'
import { LinkNotice } from '../link-notice.tsx'
import './add-pictures.css'
import { Button, Notice } from './form.tsx'

/** Types of files that an MMS may have: `OTHERS` of the server's `prepare-media`. */
const ACCEPT = 'image/*,video/mp4,video/3gpp,audio/*,application/pdf,text/vcard,.vcf,.ics'
/** The server takes no more. */
const MAX_FILES = 10

interface Props {
  readonly files: readonly ChosenFile[]
  /** Names of files to choose again. */
  readonly lost?: readonly string[]
  /** Why the form was not sent. */
  readonly error?: string
  readonly onFiles: (files: readonly ChosenFile[]) => void
  readonly iconOnly?: boolean
}

/** Whether a line sends MMS. */
const useCanSendPictures = (): boolean =>
  useLines().some(({ enabled, mms }) => enabled && mms === 'on')

/** Takes pictures and other files of a text. Nothing if no line sends MMS and none are chosen. */
export function AddPictures(props: Props) {
  const can = useCanSendPictures()
  const { files, lost = [] } = props
  if (!can && files.length + lost.length === 0) return null
  return (
    <ChoosePictures {...props} takesArriving={can}>
      {files.length > 0 && (
        <span class="muted">
          {can
            ? tn(
                'It goes as an MMS with 1 file.',
                'It goes as an MMS with {count} files.',
                files.length,
              )
            : t('No line can send pictures: the text has links to them.')}
        </span>
      )}
      {files.length > 0 && !can && <LinkNotice />}
    </ChoosePictures>
  )
}

/** Takes pictures and other files, also dropped and pasted ones. */
export function ChoosePictures({
  files,
  lost = [],
  error,
  onFiles,
  iconOnly,
  max = MAX_FILES,
  takesArriving = true,
  children,
}: Props & {
  readonly max?: number
  readonly takesArriving?: boolean
  readonly children?: ComponentChildren
}) {
  const input = useRef<HTMLInputElement>(null)
  const add = (more: Iterable<File>) => onFiles([...files, ...more].slice(0, max))
  useArrivingFiles(takesArriving, add)
  return (
    <div class="add-pictures">
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPT}
        onChange={(event) => {
          add(event.currentTarget.files ?? [])
          event.currentTarget.value = ''
        }}
      />
      {files.length < max && (
        <Button icon="picture" iconOnly={iconOnly} onClick={() => input.current?.click()}>
          {t('Add pictures')}
        </Button>
      )}
      {lost.length > 0 && (
        <Notice kind="warning">
          {t('These files are not kept here. Choose them again: {names}.', {
            names: lost.join(', '),
          })}{' '}
          {error && <strong role="alert">{error} </strong>}
          <Button onClick={() => onFiles(files)}>{t('Leave them out')}</Button>
        </Notice>
      )}
      {files.length > 0 && (
        <ul>
          {files.map((file) => (
            <li key={isStored(file) ? file.name : file}>
              <FileThumb file={file} />
              <Button
                kind="quiet"
                icon="close"
                iconOnly
                onClick={() => onFiles(files.filter((other) => other !== file))}
              >
                {t('Remove {name}', {
                  name: isStored(file) ? trimStoredName(file.name) : file.name,
                })}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {children}
    </div>
  )
}

/** A chosen picture in small, or the name of another file. */
const FileThumb = ({ file }: { file: ChosenFile }) =>
  isStored(file) ? <StoredThumb file={file} /> : <Picture file={file} />

/** The files of a text beside its preview. */
export const FileThumbs = ({ files }: { files: readonly ChosenFile[] }) =>
  files.length === 0 ? null : (
    <div class="add-pictures">
      {files.map((file) => (
        <FileThumb key={isStored(file) ? file.name : file} file={file} />
      ))}
    </div>
  )

function Picture({ file }: { file: File }) {
  // the server's policy allows data: in pictures, not blob:
  const [url, setUrl] = useState('')
  useEffect(() => {
    if (!file.type.startsWith('image/')) return
    const reader = new FileReader()
    reader.onload = () => setUrl(String(reader.result))
    reader.readAsDataURL(file)
    return () => reader.abort()
  }, [file])
  return url ? <img src={url} alt={file.name} /> : <span>{file.name}</span>
}

/** Takes files that are dropped on the page or pasted. */
function useArrivingFiles(can: boolean, add: (files: Iterable<File>) => void): void {
  const latest = useRef(add)
  latest.current = add
  useEffect(() => {
    if (!can) return
    const take = (event: Event, given: DataTransfer | null) => {
      if (!given || given.files.length === 0) return
      event.preventDefault()
      latest.current(given.files)
    }
    const paste = (event: ClipboardEvent) => take(event, event.clipboardData)
    const drop = (event: DragEvent) => take(event, event.dataTransfer)
    const over = (event: DragEvent) => {
      const items = [...(event.dataTransfer?.items ?? [])]
      if (items.some(({ kind }) => kind === 'file')) event.preventDefault()
    }
    document.addEventListener('paste', paste)
    document.addEventListener('drop', drop)
    document.addEventListener('dragover', over)
    return () => {
      document.removeEventListener('paste', paste)
      document.removeEventListener('drop', drop)
      document.removeEventListener('dragover', over)
    }
  }, [can])
}
