import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { guessColumns } from '#portable/phone/guess-columns.ts'
import type { Sheet } from '../../data/files/sheet.ts'
import { defaultCountry } from '../../data/phone/default-country.ts'
import { findTimeFault, parseLocalTime, type When } from '../../data/text/local-time.ts'
import { formatSegments } from '../../data/text/text-size.ts'
import { useTemplates } from '../../data/use/use-list.ts'
import { useSecondsLeft } from '../../data/use/use-seconds-left.ts'
import { useTask } from '../../data/use/use-task.ts'
import { ownHours } from '../../data/user-settings/own.ts'
import { t, tn, tx } from '../../language/words.ts'
import {
  confirmManyPeople,
  formatPeopleCount,
  MAX_PLAIN,
} from '../../parts/dialog/confirm-many-people.tsx'
import { ConsentField } from '../../parts/form/consent-field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { QuietField } from '../../parts/form/quiet-field.tsx'
import { HoldNotice } from '../../parts/form/send-notices.tsx'
import { WhenField } from '../../parts/form/when-field.tsx'
import { Card, Progress } from '../../parts/page.tsx'
import { HowToProve } from '../../parts/proof.tsx'
import { SendFault } from '../../parts/send-fault.tsx'
import { formatPlannedTime } from '../../parts/time.tsx'
import { showToast } from '../../parts/toast.tsx'
import { ListCost } from './list-cost.tsx'
import { ListFields, type Wishes } from './list-fields.tsx'
import { ListPreview } from './list-preview.tsx'
import { ListReport } from './list-report.tsx'
import { type ListText, listUnknownPlaceholders, planList, readNumbers } from './list-rows.ts'
import { NOTHING_SENT, runList } from './send-texts.ts'
import { useRecipients } from './use-recipients.ts'

export function ListForm({ sheet, onBack }: { sheet: Sheet; onBack: () => void }) {
  const [wished, setWished] = useState<Wishes>(() => {
    const { phones } = guessColumns(sheet.head, sheet.rows, defaultCountry.value)
    const guessed = phones.length > 0 ? phones : [0]
    return { phones: guessed, guessed, country: '', text: '' }
  })
  // that of the account is known only when its settings have been read
  const wishes = { ...wished, country: wished.country || defaultCountry.value }
  const [when, setWhen] = useState<When>({ isLater: false, at: '' })
  const [isQuiet, setQuiet] = useState(true)
  const [needsConsent, setNeedsConsent] = useState(false)
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const [outcome, setOutcome] = useState(NOTHING_SENT)
  const [isHeld, setHeld] = useState(false)
  const [isOver, setOver] = useState(false)
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])
  const templates = useTemplates()
  const { phones, country, text } = wishes
  const numbers = useMemo(() => readNumbers(sheet, phones, country), [sheet, phones, country])
  const recipients = useRecipients(numbers, needsConsent)
  const { names, reasons } = recipients
  const plan = useMemo(
    () => planList(sheet, numbers, phones, text, { names, reasons }),
    [sheet, numbers, phones, text, names, reasons],
  )
  const count = outcome.accepted.size + outcome.refused.length
  const work = useTask(async () => {
    const scheduledAt = readScheduledAt(when)
    const options = {
      ...(scheduledAt && { scheduled_at: scheduledAt }),
      ...(ownHours.value && isQuiet && { quiet_hours: true }),
      ...(needsConsent && { requires_consent: true }),
    }
    const done = await runList(plan.good, options, outcome, stop.current.signal, setOutcome)
    setOutcome(done)
    setOver(!done.fault && !stop.current.signal.aborted)
  })
  const submit = async () => {
    const found = findFaults(wishes, when, sheet)
    setFaults(found)
    if (Object.keys(found).length > 0 || plan.good.length === 0) return
    stop.current = new AbortController()
    // do not ask again when a stopped send is continued: it was confirmed before
    const isLong = count === 0 && plan.good.length > MAX_PLAIN
    if (isLong && !(await isListConfirmed(plan.good, readScheduledAt(when)))) return
    if (isLong && !when.isLater) setHeld(true)
    else await work.run()
  }
  const change = (part: Partial<Wishes>) => {
    setWished({ ...wished, ...part })
    setFaults({})
    setOutcome(NOTHING_SENT)
  }
  if (isOver) return <ListReport sheet={sheet} plan={plan} outcome={outcome} onAgain={onBack} />
  const rest = plan.good.length - outcome.accepted.size
  const texts = tn('1 text', '{count} texts', rest)
  return (
    <div class="stack">
      <Card>
        {isHeld ? (
          <UndoCountdown
            onOver={() => {
              setHeld(false)
              void work.run()
            }}
            onUndo={() => setHeld(false)}
          />
        ) : (
          <Form onSubmit={submit} fault={work.fault ?? recipients.fault}>
            {outcome.fault && !work.busy && <SendFault fault={outcome.fault} />}
            {!work.busy && (
              <>
                <ListFields
                  sheet={sheet}
                  wishes={wishes}
                  faults={faults}
                  templates={templates}
                  onChange={change}
                />
                <WhenField
                  when={when}
                  error={faults.at}
                  onChange={(part) => {
                    setWhen({ ...when, ...part })
                    setFaults({})
                    setOutcome(NOTHING_SENT)
                  }}
                />
                <QuietField value={isQuiet} onValue={setQuiet} />
                <ConsentField
                  value={needsConsent}
                  onValue={(value) => {
                    setNeedsConsent(value)
                    setOutcome(NOTHING_SENT)
                  }}
                />
                {needsConsent && reasons.size > 0 && plan.good.length === 0 && <HowToProve />}
              </>
            )}
            {(work.busy || count > 0) && (
              <Progress
                value={count}
                max={plan.good.length}
                label={t('{count} of {total} texts', { count, total: plan.good.length })}
              />
            )}
            <FormActions
              icon="send"
              busy={work.busy}
              disabled={plan.good.length === 0 || recipients.busy}
              onCancel={onBack}
              cancel={t('Another file')}
              onStop={() => stop.current.abort()}
            >
              {count > 0 && !work.busy
                ? t('Go on with {texts}', { texts })
                : when.isLater
                  ? t('Schedule {texts}', { texts })
                  : t('Send {texts}', { texts })}
            </FormActions>
          </Form>
        )}
      </Card>
      {!work.busy && <ListPreview sheet={sheet} plan={plan} hasText={text !== ''} />}
    </div>
  )
}

const readScheduledAt = ({ isLater, at }: When): string => (isLater ? parseLocalTime(at) : '')

function findFaults({ text }: Wishes, when: When, sheet: Sheet): Record<string, string> {
  const faults: Record<string, string> = {}
  const unknown = listUnknownPlaceholders(text, sheet)
  if (text.trim() === '') faults.text = t('Write a text first.')
  else if (unknown.length > 0)
    faults.text = t('There is no column for {placeholder}.', { placeholder: `{{${unknown[0]}}}` })
  return { ...faults, ...findTimeFault(when) }
}

/** Asks the user before many texts are sent. `scheduledAt`: the time to send them; '' for now. */
function isListConfirmed(texts: readonly ListText[], scheduledAt: string): Promise<boolean> {
  const first = texts[0]!
  const people = new Set(texts.map(({ phone }) => phone)).size
  const segments = texts.reduce((sum, text) => sum + text.segments, 0)
  return confirmManyPeople({
    people,
    what: tx(
      '{texts} go to {people}, which takes {segments} in all. The first text, to {number}:',
      {
        texts: <strong>{tn('1 text', '{count} texts', texts.length)}</strong>,
        people: <strong>{formatPeopleCount(people)}</strong>,
        segments: <strong>{formatSegments(segments)}</strong>,
        number: first.phone,
      },
    ),
    firstText: first.body,
    cost: <ListCost texts={texts} />,
    begins: scheduledAt
      ? t('They leave on {time}.', { time: formatPlannedTime(scheduledAt) })
      : t('They leave after 10 seconds, in which you can undo it.'),
    isLater: scheduledAt !== '',
  })
}

const HOLD_MS = 10_000

/**
 * The countdown before a long list is sent. The server has nothing yet: leaving the page cancels the send.
 */
function UndoCountdown({ onOver, onUndo }: { onOver: () => void; onUndo: () => void }) {
  const [endMs] = useState(() => performance.now() + HOLD_MS)
  const left = useSecondsLeft(endMs)
  const isOver = left <= 0
  const box = useRef<HTMLDivElement>(null)
  const undo = useTask(async () => {
    onUndo()
    showToast(t('Undone: nobody gets it'))
  })
  useEffect(() => box.current?.querySelector('button')?.focus(), [])
  // a layout effect, so that nobody can click "Undo" between the end of the countdown and the send
  useLayoutEffect(() => {
    if (isOver) onOver()
  }, [isOver])
  return <div ref={box}>{!isOver && <HoldNotice left={left} undo={undo} />}</div>
}
