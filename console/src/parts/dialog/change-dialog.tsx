import { useState } from 'preact/hooks'
import { MAX_TEXT_CHARACTERS } from '#portable/max-text-characters.ts'
import {
  findTimeFault,
  formatLocal,
  parseDate,
  parseLocalTime,
  type When,
} from '../../data/text/local-time.ts'
import { formatTextSize } from '../../data/text/text-size.ts'
import { listOpenWords, listVariables } from '../../data/text/variables.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { TextArea } from '../form/field.tsx'
import { Form, FormActions } from '../form/form.tsx'
import { WhenField } from '../form/when-field.tsx'
import { SuggestPlainText } from '../suggest-plain-text.tsx'
import { Dialog } from './dialog.tsx'

/** The server's maximum for `ttl`. A message may have a later expiry if that was set as a date. */
const MAX_TTL_SECONDS = 10 * 365 * 86_400

/** A scheduled message, or a batch of scheduled messages. Dates are PocketBase's strings, '' for none. */
interface Waiting {
  readonly scheduled_at: string
  readonly expires_at: string
  /** The text; absent if it cannot be changed. */
  readonly body?: string
}

/** The body of `PATCH /api/sms/messages/ID` and `/api/sms/batches/ID/reschedule`. */
export type ChangeRequest = Readonly<Record<string, string | number>>

/** Edits the time and text of scheduled messages. `save` gets the changed fields only. */
export function ChangeDialog({
  title,
  waiting,
  save,
  onClose,
}: {
  title: string
  waiting: Waiting
  save: (request: ChangeRequest) => Promise<void>
  onClose: () => void
}) {
  // keeps the message as it was when the dialog opened, so that later changes do not replace typed values
  const [{ scheduled_at, expires_at, body }] = useState(waiting)
  const was = formatLocal(parseDate(scheduled_at))
  const [when, setWhen] = useState<When>({ isLater: true, at: was })
  const [text, setText] = useState(body ?? '')
  const [missing, setMissing] = useState<Readonly<Record<string, string>>>({})
  const work = useTask(async () => {
    const request = {
      ...(body !== undefined && text !== body && { body: text }),
      ...(!(when.isLater && when.at === was) && makeTimeRequest(when, scheduled_at, expires_at)),
    }
    if (Object.keys(request).length > 0) await save(request)
    onClose()
  })
  const submit = () => {
    const faults = {
      ...findTimeFault(when, was),
      ...(body !== undefined && text !== body && findTextFault(text)),
    }
    setMissing(faults)
    return Object.keys(faults).length === 0 && work.run()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={submit} fault={work.fault}>
        <WhenField
          when={when}
          onChange={(part) => setWhen({ ...when, ...part })}
          error={missing.at}
        />
        {body !== undefined && (
          <>
            <TextArea
              label={t('Text')}
              name="text"
              rows={5}
              value={text}
              onValue={setText}
              error={missing.text}
              hint={formatTextSize(text)}
            />
            <SuggestPlainText text={text} onText={setText} />
          </>
        )}
        {expires_at && (
          <p class="muted">
            {t('It expires as long after the new time as it would have after the old one.')}
          </p>
        )}
        <FormActions busy={work.busy} onCancel={onClose}>
          {when.isLater ? t('Save') : t('Send now')}
        </FormActions>
      </Form>
    </Dialog>
  )
}

/** The request for a new time; a `scheduled_at` of '' is now. `ttl` keeps the time from sending to expiry. */
function makeTimeRequest({ isLater, at }: When, scheduled: string, expires: string): ChangeRequest {
  const seconds = Math.round((parseDate(expires) - parseDate(scheduled)) / 1000)
  return {
    scheduled_at: isLater ? parseLocalTime(at) : '',
    ...(expires !== '' && { ttl: Math.min(MAX_TTL_SECONDS, Math.max(1, seconds)) }),
  }
}

function findTextFault(text: string): Record<string, string> {
  if (text === '') return { text: t('Write a text first.') }
  const open = listVariables(text)
  // the server fills in no variables of a changed text: it would send them with their braces
  if (open.length > 0) return { text: listOpenWords(open) }
  if ([...text].length <= MAX_TEXT_CHARACTERS) return {}
  return { text: t('A text has at most {max} characters.', { max: MAX_TEXT_CHARACTERS }) }
}
