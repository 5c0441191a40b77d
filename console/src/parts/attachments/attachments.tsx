import type { RecordModel } from 'pocketbase'
import { useEffect, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { downloadUrl } from '../../data/files/save-file.ts'
import type { StoredFile } from '../../data/use/chosen-files.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../dialog/dialog.tsx'
import { Actions, Button } from '../form/form.tsx'
import { Icon } from '../icon.tsx'
import { runWithToast, showToastFault } from '../toast.tsx'
import './attachments.css'

/**
 * Kinds of files that the page shows, by extension. The server chooses the extension by the content. Other
 * files, such as SVG with its scripts, are only downloaded.
 */
const KINDS = [
  ['picture', /\.(png|jpe?g|gif|webp)$/],
  ['video', /\.(mp4|webm|3gp|mov)$/],
  ['audio', /\.(mp3|m4a|ogg|oga|wav|aac)$/],
] as const
const findKind = (name: string) => KINDS.find(([, pattern]) => pattern.test(name))?.[0]

type WithFiles = RecordModel & { readonly attachments?: readonly string[] }

/** A file name without the random part that the server adds. */
export const trimStoredName = (name: string) => name.replace(/_[^_.]{10}(?=\.|$)/, '')

/** An icon for a text with pictures, in a table. */
export const PicturesMark = ({ files }: { files: readonly string[] | undefined }) =>
  files?.length ? (
    <>
      <Icon name="picture" size={16} /> <span class="unseen">{t('With pictures.')}</span>
    </>
  ) : null

/** The files of a record, which open large. */
export function Attachments({ record }: { record: WithFiles }) {
  const names = record.attachments ?? []
  const [token, setToken] = useState('')
  const [open, setOpen] = useState<{ name: string; url: string }>()
  const hasPictures = names.some((name) => findKind(name) === 'picture')
  useEffect(() => {
    if (hasPictures) readFileToken().then(setToken, showToastFault)
  }, [hasPictures, record.id])
  const show = async (name: string) =>
    setOpen({ name, url: makeFileUrl(record, name, await readFileToken()) })
  if (names.length === 0) return null
  return (
    <ul class="attachments">
      {names.map((name) => (
        <li key={name}>
          {findKind(name) === 'picture' ? (
            <button type="button" onClick={() => void show(name).catch(showToastFault)}>
              {token && (
                <img
                  src={makeFileUrl(record, name, token, { thumb: '480x480f' })}
                  alt={t('Picture {name}', { name: trimStoredName(name) })}
                />
              )}
            </button>
          ) : findKind(name) ? (
            <Button icon="play" onClick={() => void show(name).catch(showToastFault)}>
              {t('Play {name}', { name: trimStoredName(name) })}
            </Button>
          ) : (
            <Button icon="download" onClick={() => void saveAttachment(record, name)}>
              {t('Save {name}', { name: trimStoredName(name) })}
            </Button>
          )}
        </li>
      ))}
      {open && (
        <Dialog title={trimStoredName(open.name)} onClose={() => setOpen(undefined)} wide>
          <Player {...open} />
          <Actions>
            <Button icon="download" onClick={() => void saveAttachment(record, open.name)}>
              {t('Save')}
            </Button>
          </Actions>
        </Dialog>
      )}
    </ul>
  )
}

/** A stored picture in small, or the name of another file. */
export function StoredThumb({ file: { record, name } }: { file: StoredFile }) {
  const [token, setToken] = useState('')
  const isPicture = findKind(name) === 'picture'
  useEffect(() => {
    if (isPicture) readFileToken().then(setToken, showToastFault)
  }, [isPicture])
  const label = trimStoredName(name)
  if (!isPicture || !token) return <span>{label}</span>
  return <img src={makeFileUrl(record, name, token, { thumb: '480x480f' })} alt={label} />
}

function Player({ name, url }: { name: string; url: string }) {
  const kind = findKind(name)
  const label = trimStoredName(name)
  if (kind === 'picture') return <img class="attachments-large" src={url} alt={label} />
  if (kind === 'video')
    // biome-ignore lint/a11y/useMediaCaption: received files have no captions
    return <video class="attachments-large" src={url} aria-label={label} controls />
  // biome-ignore lint/a11y/useMediaCaption: as above
  return <audio class="attachments-large" src={url} aria-label={label} controls />
}

const saveAttachment = (record: RecordModel, name: string) =>
  runWithToast(async () =>
    downloadUrl(
      trimStoredName(name),
      makeFileUrl(record, name, await readFileToken(), { download: '1' }),
    ),
  )

/** Reads a stored file, to send it again. */
export async function readStoredFile({ record, name }: StoredFile): Promise<File> {
  const answer = await fetch(makeFileUrl(record, name, await readFileToken()))
  if (!answer.ok) throw new Error(t('{name} cannot be read', { name: trimStoredName(name) }))
  const contents = await answer.blob()
  return new File([contents], trimStoredName(name), { type: contents.type })
}

/** How long links reuse a file token. The server accepts a token for three minutes, as PocketBase does. */
const SHARED_MS = 60_000
let known:
  | { readonly account: string; readonly untilMs: number; readonly token: Promise<string> }
  | undefined

function readFileToken(): Promise<string> {
  const account = pb.authStore.token
  if (known?.account === account && Date.now() < known.untilMs) return known.token
  const token = pb.files.getToken()
  known = { account, untilMs: Date.now() + SHARED_MS, token }
  token.catch(() => {
    known = undefined
  })
  return token
}

const makeFileUrl = (
  record: RecordModel,
  name: string,
  token: string,
  more: Readonly<Record<string, string>> = {},
): string => pb.files.getURL(record, name, { token, ...more })
