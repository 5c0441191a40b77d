import { useEffect, useRef, useState } from 'preact/hooks'
import { useLines } from '../../data/use/use-list.ts'
import { t, tn } from '../../language/words.ts'
import './add-pictures.css'
import { Button, Notice } from './form.tsx'

/** What an MMS may have: `OTHERS` of the server's `prepare-media`. */
const ACCEPT = 'image/*,video/mp4,video/3gpp,audio/*,application/pdf,text/vcard,.vcf,.ics'
/** The server takes no more. */
const MAX_FILES = 10

/** A request with files: the SDK then sends a form. A text of files alone has no words. */
export function addFiles(request: Readonly<Record<string, unknown>>, files: readonly File[]) {
  if (files.length === 0) return request
  const { body, ...rest } = request
  return { ...rest, ...(body !== '' && { body }), attachments: files }
}

/** The same for a preview, which counts files and needs no contents. */
export const addFileNames = (
  request: Readonly<Record<string, unknown>>,
  files: readonly File[],
): Readonly<Record<string, unknown>> =>
  addFiles(request, files.map(({ name }) => `file/${name}`) as never)

/** Identifies files in a request's key: a `File` has no JSON. */
export const describeFiles = (files: readonly File[]) =>
  files.map(({ name, size, lastModified }) => [name, size, lastModified])

/** Takes pictures and other files of a text, also dropped and pasted ones. Nothing if no line sends MMS. */
export function AddPictures({
  files,
  lost = [],
  onFiles,
  iconOnly,
}: {
  files: readonly File[]
  /** Names of files to choose again. */
  lost?: readonly string[]
  onFiles: (files: readonly File[]) => void
  iconOnly?: boolean
}) {
  const can = useLines().some(({ enabled, mms }) => enabled && mms === 'on')
  const input = useRef<HTMLInputElement>(null)
  const add = (more: Iterable<File>) => onFiles([...files, ...more].slice(0, MAX_FILES))
  useArrivingFiles(can, add)
  if (!can && files.length + lost.length === 0) return null
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
      <Button icon="picture" iconOnly={iconOnly} onClick={() => input.current?.click()}>
        {t('Add pictures')}
      </Button>
      {lost.length > 0 && (
        <Notice kind="warning">
          {t('These files are not kept here. Choose them again: {names}.', {
            names: lost.join(', '),
          })}{' '}
          <Button onClick={() => onFiles([])}>{t('Leave them out')}</Button>
        </Notice>
      )}
      {files.length > 0 && (
        <>
          <ul>
            {files.map((file) => (
              <li key={file}>
                <Picture file={file} />
                <Button
                  kind="quiet"
                  icon="close"
                  iconOnly
                  onClick={() => onFiles(files.filter((other) => other !== file))}
                >
                  {t('Remove {name}', { name: file.name })}
                </Button>
              </li>
            ))}
          </ul>
          <span class="muted">
            {tn(
              'It goes as an MMS with 1 file.',
              'It goes as an MMS with {count} files.',
              files.length,
            )}
          </span>
        </>
      )}
    </div>
  )
}

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
