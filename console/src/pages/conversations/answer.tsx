import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format.ts'
import { countSegments } from '#portable/segments.ts'
import { sendText } from '../../data/line/outbox.ts'
import { type Contact, type Device, fieldNamed, type Message, type Template } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { isPerson } from '../../data/team/people.ts'
import { comingDays, inAnHour } from '../../data/text/coming-days.ts'
import { fillTemplate, isSameName, variablesOf } from '../../data/text/placeholders.ts'
import { segmentsText } from '../../data/text/text-size.ts'
import { hasKeyboard, isPhone } from '../../data/use/media.ts'
import { useList } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { SelectField } from '../../parts/form/field.tsx'
import { Button, Form, Notice } from '../../parts/form/form.tsx'
import { WhenMenu } from '../../parts/list/when-menu.tsx'
import { CompletingArea, type Completion } from './completing-area.tsx'
import type { About } from './side-panel.tsx'
import { useAnswerDraft } from './use-answer-draft.ts'
import './answer.css'

const MAX_DEVICES = 100
const ANY = 'any'

type Props = About & {
  readonly kinds: ComponentChildren
  /** The conversation's texts, newest first; undefined until they are loaded. */
  readonly texts: readonly Message[] | undefined
  /** Called with the whole text after each change, and with '' when it is sent. */
  readonly onWrite: (text: string) => void
  readonly onSent: () => void
}

/**
 * The form that answers a phone number. Preselects the device that received the last text from this number:
 * the person knows the number of that device.
 */
export function Answer({ number, name, conversation, contact, isContactKnown, ...rest }: Props) {
  const { kinds, texts, onWrite, onSent } = rest
  const draft = useAnswerDraft(number, conversation)
  const body = draft.value
  const [chosen, setChosen] = useState('')
  const [isTried, setTried] = useState(false)
  const [asked, setAsked] = useState(0)
  const replies = useSavedReplies({ number, name, contact, isContactKnown })
  const mayAnswer = useCollision(texts, body !== '')
  const devices = useList<Device>('devices', { filter: 'enabled = true', sort: 'name', perPage: MAX_DEVICES })
  const device = devices.items.find(({ id }) => id === (chosen || conversation?.device))
  const send = useTask(async (at?: Date) => {
    if (!(await mayAnswer())) return
    const scheduled = at && { scheduled_at: at.toISOString() }
    const request = { recipients: [number], body, ...(device && { device_id: device.id }), ...scheduled }
    const after = texts?.[0]?.created ?? ''
    // the server deletes the draft if the text begins with it, so it must have the draft first
    sendText({ number, request, isFirst: !conversation, after }, draft.keep())
    onSent()
    draft.sent()
    onWrite('')
  })
  const change = (text: string) => {
    draft.set(text)
    setTried(false)
    onWrite(text)
  }
  // the server does not fill in variables of an answer: it would send them with their braces
  const open = variablesOf(body).map((variable) => `{{${variable}}}`)
  const submit = (at?: Date) => {
    if (body.trim() === '' || send.busy) return
    setTried(true)
    if (open.length === 0) return send.run(at)
  }
  const { segments } = countSegments(body)
  return (
    <Form onSubmit={() => submit()} fault={send.fault}>
      {contact?.opted_out && (
        <Notice kind="warning">{t('This number has opted out: texts to it are not sent.')}</Notice>
      )}
      <CompletingArea
        label={labelOf(device)}
        name="body"
        value={body}
        onValue={change}
        sign="/"
        listLabel={t('Saved replies')}
        find={replies.find}
        asked={asked}
        onSubmit={() => void submit()}
        error={isTried && open.length > 0 ? openWords(open) : undefined}
        hint={hintOf(segments)}
      />
      <div class="conversations-send">
        {kinds}
        {replies.hasAny && (
          <Button icon="templates" iconOnly onClick={() => setAsked(asked + 1)}>
            {t('Saved replies')}
          </Button>
        )}
        <WhenMenu
          words={t('Send later')}
          icon="clock"
          iconOnly
          named={(now) => [inAnHour(now), ...comingDays(now)]}
          action={t('Send at this time')}
          onPick={(at) => void submit(at)}
        />
        {devices.items.length > 1 && (
          <SelectField
            label={t('Device')}
            name="device"
            value={device?.id ?? ANY}
            onValue={setChosen}
            choices={[
              [ANY, t('Any device')],
              ...devices.items.map(
                ({ id, name, phone }) =>
                  [id, [name, formatPhone(phone)].filter(Boolean).join(' · ') || id] as const,
              ),
            ]}
          />
        )}
        <Button
          type="submit"
          kind="primary"
          icon="send"
          iconOnly={isPhone.value}
          busy={send.busy}
          disabled={body.trim() === ''}
        >
          {t('Send')}
        </Button>
      </div>
    </Form>
  )
}

function hintOf(segments: number): string | undefined {
  if (segments > 1) return segmentsText(segments)
  return hasKeyboard.value ? t('Ctrl and Enter send, too.') : undefined
}

const openWords = (open: readonly string[]) =>
  t('Write something in the place of {placeholders}.', { placeholders: open.join(', ') })

const labelOf = (device: Device | undefined) => {
  if (!device) return t('Write')
  return device.name
    ? t('Answer from {name}', { name: device.name })
    : t('Answer from the device that received it')
}

/**
 * Returns a function to call before sending. If another member has answered since the user began to type, it
 * asks the user, and returns false if the user declines. `texts`: newest first; undefined until loaded.
 */
function useCollision(texts: readonly Message[] | undefined, isTyping: boolean): () => Promise<boolean> {
  const since = useRef<string>(undefined)
  if (!isTyping) since.current = undefined
  else since.current ??= texts && (texts[0]?.created ?? '')
  return async () => {
    const begun = since.current
    const theirs = texts?.find(
      ({ created, sent_by, expand }) =>
        begun !== undefined &&
        created > begun &&
        sent_by !== session.value?.sender &&
        isPerson(expand?.sent_by),
    )
    if (!theirs) return true
    const sure = await confirmed({
      title: t('{name} has answered meanwhile', { name: theirs.expand?.sent_by?.name ?? '' }),
      text: theirs.body,
      action: t('Send anyway'),
      keep: t('Not yet'),
      careful: true,
    })
    // do not ask again about an answer that the user has seen
    if (sure) since.current = theirs.created
    return sure
  }
}

const MAX_TEMPLATES = 200
const SHOWN = 20

/** The user's templates, filled in with the contact's values. Variables without a value keep their braces. */
function useSavedReplies({
  number,
  name,
  contact,
  isContactKnown,
}: {
  number: string
  name: string
  contact: Contact | undefined
  isContactKnown: boolean
}) {
  const { items } = useList<Template>('sms_templates', { sort: 'name', perPage: MAX_TEMPLATES })
  const valueFor = (variable: string) => {
    if (isSameName(variable, 'phone')) return number
    return isSameName(variable, 'name') ? name || undefined : contact && fieldNamed(contact, variable)
  }
  return {
    hasAny: items.length > 0,
    find(typed: string): Completion[] {
      if (!isContactKnown) return []
      const words = typed.trim().toLocaleLowerCase()
      return items
        .filter((template) => template.name.toLocaleLowerCase().includes(words))
        .slice(0, SHOWN)
        .map(({ id, name, body }) => ({ id, title: name, text: fillTemplate(body, valueFor) }))
    },
  }
}
