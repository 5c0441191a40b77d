import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { countSegments } from '#portable/segments.ts'
import { postRequest } from '../../data/client.ts'
import { sendText, startConversation } from '../../data/connection/outbox.ts'
import { requestKeys } from '../../data/connection/request-key.ts'
import type { Device, Message } from '../../data/record-types.ts'
import { findUndoSeconds } from '../../data/team/personal-choices.ts'
import { formatSegmentsOrMms } from '../../data/text/text-size.ts'
import { listOpenWords, listVariables } from '../../data/text/variables.ts'
import {
  addFiles,
  CHOOSE_AGAIN,
  type ChosenFile,
  describeFiles,
  isStored,
  type StoredFile,
} from '../../data/use/chosen-files.ts'
import { hasKeyboard, isPhone } from '../../data/use/media-queries.ts'
import { useFiles } from '../../data/use/use-files.ts'
import { useTask } from '../../data/use/use-task.ts'
import { describeWayBack } from '../../data/words/advice.ts'
import { t } from '../../language/words.ts'
import { AddPictures } from '../../parts/form/add-pictures.tsx'
import { SelectField } from '../../parts/form/field.tsx'
import { Button, Form, Notice } from '../../parts/form/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { WhenMenu } from '../../parts/list/when-menu.tsx'
import { AnswerCost } from './answer-cost.tsx'
import { CompletingArea } from './completing-area.tsx'
import { useMayAnswer } from './may-answer.ts'
import type { About } from './side-panel.tsx'
import type { UndoneAnswer } from './thread/undo-answer.ts'
import { useAnswerDraft } from './use-answer-draft.ts'
import './answer.css'
import { useSavedReplies } from './use-saved-replies.tsx'

const ANY = 'any'

type Props = About & {
  readonly kinds: ComponentChildren
  /** The conversation's texts, newest first; undefined until they are loaded. */
  readonly texts: readonly Message[] | undefined
  /** The name of a colleague who is writing in the conversation. */
  readonly writer: string | undefined
  /** Called with the whole text after each change, and with '' when it is sent. */
  readonly onWrite: (text: string) => void
  readonly onSent: () => void
  /** An answer that was taken back, until it is in the answer box again. */
  readonly undone: UndoneAnswer | undefined
  readonly onRestored: () => void
}

/**
 * The form that answers a phone number. Preselects the device that received the last text from this number:
 * the person knows the number of that device. If another device sent a failed answer again, selects that one.
 */
export function Answer({
  number,
  name,
  conversation,
  contact,
  isContactKnown,
  isOptedOut,
  devices,
  ...rest
}: Props) {
  const { kinds, texts, people, writer, onWrite, onSent, undone, onRestored } = rest
  const draft = useAnswerDraft(number, conversation)
  const body = draft.value
  const [chosen, setChosen] = useState('')
  const [isTried, setTried] = useState(false)
  const [asked, setAsked] = useState(0)
  const chosenFiles = useFiles(`answer.${number}`)
  const { files } = chosenFiles
  const [keys] = useState(() => requestKeys())
  const replies = useSavedReplies({ number, name, contact, isContactKnown })
  const mayAnswer = useMayAnswer({ texts, conversation, people, writer }, body !== '')
  const [newest] = texts ?? []
  const again = newest?.client_ref.startsWith('retry:') ? newest.device : ''
  useEffect(() => setChosen((old) => again || old), [again])
  const device = devices.find(({ id }) => id === (chosen || conversation?.device))
  const send = useTask(async (at?: Date) => {
    if (!(await mayAnswer())) return
    const undoSeconds = at ? 0 : await findUndoSeconds(people.members.items)
    const time = at
      ? { scheduled_at: at.toISOString() }
      : undoSeconds > 0 && { undo_seconds: undoSeconds }
    const request = {
      recipients: [number],
      body,
      ...(device && { device_id: device.id }),
      ...time,
    }
    const after = texts?.[0]?.created ?? ''
    // files do not fit into what the browser keeps of unsent texts
    if (files.length > 0) {
      const headers = { 'idempotency-key': keys.of([request, describeFiles(files)]) }
      if (!conversation) await startConversation(number)
      await postRequest('/api/sms/send', addFiles(request, files), { headers })
      keys.renew()
      chosenFiles.set([])
    }
    // the server deletes the draft if the text begins with it, so it must have the draft first
    else sendText({ number, request, isFirst: !conversation, after }, draft.keep())
    onSent()
    draft.sent()
    setTried(false)
    onWrite('')
  })
  const change = (text: string) => {
    draft.set(text)
    setTried(false)
    onWrite(text)
  }
  // a layout effect, which has the latest text: a letter typed before the next paint would be lost
  useLayoutEffect(() => {
    if (!undone) return
    change([undone.body, body].filter((text) => text.trim() !== '').join('\n'))
    if (undone.files.length > 0) chosenFiles.set([...undone.files, ...files])
    document.querySelector<HTMLElement>('.conversations-write textarea')?.focus()
    onRestored()
  }, [undone])
  // the server does not fill in variables of an answer: it would send them with their braces
  const open = listVariables(body)
  const isEmpty = body.trim() === '' && files.length === 0
  const submit = (at?: Date) => {
    if (send.busy || isOptedOut) return
    setTried(true)
    if (!isEmpty && open.length === 0 && chosenFiles.lost.length === 0) return send.run(at)
  }
  const isAddingOpen = files.length + chosenFiles.lost.length > 0
  const { segments } = countSegments(body)
  return (
    <Form onSubmit={() => submit()} fault={send.fault}>
      {isOptedOut && (
        <Notice kind="warning">
          {t('This number has opted out: texts to it are not sent.')}{' '}
          {describeWayBack(contact !== undefined)}
        </Notice>
      )}
      <CompletingArea
        label={makeLabel(device)}
        name="body"
        value={body}
        onValue={change}
        sign="/"
        listLabel={t('Saved answers')}
        find={replies.find}
        onTake={({ files: more = [] }) =>
          more.length > 0 && chosenFiles.set(addNewFiles(files, more))
        }
        asked={asked}
        onSubmit={() => void submit()}
        error={isTried ? findTextError(isEmpty, open) : undefined}
        hint={isOptedOut ? undefined : makeHint(files.length > 0 ? 0 : Math.max(1, segments))}
      />
      <AnswerCost number={number} body={body} device={device?.id} />
      {isAddingOpen && (
        <AddPictures
          files={files}
          lost={chosenFiles.lost}
          error={isTried ? CHOOSE_AGAIN : undefined}
          onFiles={chosenFiles.set}
        />
      )}
      <div class="conversations-send">
        {kinds}
        {!isAddingOpen && <AddPictures files={files} onFiles={chosenFiles.set} iconOnly />}
        {replies.hasAny && (
          <Button icon="templates" iconOnly onClick={() => setAsked(asked + 1)}>
            {t('Saved answers')}
          </Button>
        )}
        <WhenMenu
          words={t('Send later')}
          disabled={isOptedOut}
          action={t('Send at this time')}
          onPick={(at) => void submit(at)}
        />
        {devices.length > 1 && (
          <span class="conversations-device">
            <Icon name="devices" />
            {isPhone.value && <Icon name="down" size={14} />}
            <SelectField
              label={t('Device')}
              name="device"
              value={device?.id ?? ANY}
              onValue={setChosen}
              choices={[
                [ANY, t('Any device')],
                ...devices.map(
                  ({ id, name, phone }) =>
                    [id, [name, formatPhone(phone)].filter(Boolean).join(' · ') || id] as const,
                ),
              ]}
            />
          </span>
        )}
        <Button
          type="submit"
          kind="primary"
          icon="send"
          iconOnly={isPhone.value}
          title={hasKeyboard.value ? t('Ctrl+Enter also sends.') : undefined}
          busy={send.busy}
          disabled={isEmpty || isOptedOut}
        >
          {t('Send')}
        </Button>
      </div>
    </Form>
  )
}

/** Adds the files of a saved reply, unless they are there already. */
const addNewFiles = (files: readonly ChosenFile[], more: readonly StoredFile[]) => [
  ...files,
  ...more.filter(({ name }) => !files.some((file) => isStored(file) && file.name === name)),
]

/** Why the typed text is not sent. */
function findTextError(isEmpty: boolean, open: readonly string[]): string | undefined {
  if (isEmpty) return t('Write a text first.')
  return open.length > 0 ? listOpenWords(open) : undefined
}

/** `segments`: 0 for an MMS, which has none. */
function makeHint(segments: number): string | undefined {
  return segments === 1 ? undefined : formatSegmentsOrMms(segments)
}

const makeLabel = (device: Device | undefined) => {
  if (!device) return t('Write')
  return device.name
    ? t('Answer from {name}', { name: device.name })
    : t('Answer from the device that received it')
}
