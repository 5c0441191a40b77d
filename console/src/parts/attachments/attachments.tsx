import type { RecordModel } from 'pocketbase'
import { useEffect, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { download } from '../../data/files/save-file.ts'
import type { Message } from '../../data/record-types.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../dialog/dialog.tsx'
import { Actions, Button } from '../form/form.tsx'
import { attempt, toastFault } from '../toast.tsx'
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

/** A file name without the random part that the server adds. */
const shownName = (name: string) => name.replace(/_[^_.]{10}(?=\.|$)/, '')

export function Attachments({ message }: { message: Message }) {
  const names = message.attachments ?? []
  const [token, setToken] = useState('')
  const [open, setOpen] = useState<{ name: string; url: string }>()
  const hasPictures = names.some((name) => findKind(name) === 'picture')
  useEffect(() => {
    if (hasPictures) fileToken().then(setToken, toastFault)
  }, [hasPictures, message.id])
  const show = async (name: string) =>
    setOpen({ name, url: fileUrl(message, name, await fileToken()) })
  if (names.length === 0) return null
  return (
    <ul class="attachments">
      {names.map((name) => (
        <li key={name}>
          {findKind(name) === 'picture' ? (
            <button type="button" onClick={() => void show(name).catch(toastFault)}>
              {token && (
                <img
                  src={fileUrl(message, name, token, { thumb: '480x480f' })}
                  alt={t('Picture {name}', { name: shownName(name) })}
                />
              )}
            </button>
          ) : findKind(name) ? (
            <Button icon="play" onClick={() => void show(name).catch(toastFault)}>
              {t('Play {name}', { name: shownName(name) })}
            </Button>
          ) : (
            <Button icon="download" onClick={() => void save(message, name)}>
              {t('Save {name}', { name: shownName(name) })}
            </Button>
          )}
        </li>
      ))}
      {open && (
        <Dialog title={shownName(open.name)} onClose={() => setOpen(undefined)} wide>
          <Player {...open} />
          <Actions>
            <Button icon="download" onClick={() => void save(message, open.name)}>
              {t('Save')}
            </Button>
          </Actions>
        </Dialog>
      )}
    </ul>
  )
}

function Player({ name, url }: { name: string; url: string }) {
  const kind = findKind(name)
  const label = shownName(name)
  if (kind === 'picture') return <img class="attachments-large" src={url} alt={label} />
  if (kind === 'video')
    // biome-ignore lint/a11y/useMediaCaption: received files have no captions
    return <video class="attachments-large" src={url} aria-label={label} controls />
  // biome-ignore lint/a11y/useMediaCaption: as above
  return <audio class="attachments-large" src={url} aria-label={label} controls />
}

const save = (message: Message, name: string) =>
  attempt(async () =>
    download(shownName(name), fileUrl(message, name, await fileToken(), { download: '1' })),
  )

/** How long links reuse a file token. The server accepts a token for three minutes, as PocketBase does. */
const SHARED_MS = 60_000
let known:
  | { readonly account: string; readonly untilMs: number; readonly token: Promise<string> }
  | undefined

function fileToken(): Promise<string> {
  const account = pb.authStore.token
  if (known?.account === account && Date.now() < known.untilMs) return known.token
  const token = pb.files.getToken()
  known = { account, untilMs: Date.now() + SHARED_MS, token }
  token.catch(() => {
    known = undefined
  })
  return token
}

const fileUrl = (
  record: RecordModel,
  name: string,
  token: string,
  more: Readonly<Record<string, string>> = {},
): string => pb.files.getURL(record, name, { token, ...more })
