import { useState } from 'preact/hooks'
import type { FailedCounts, FailedKind } from '../../data/failed.ts'
import type { Fault } from '../../data/fault.ts'
import { useLongTask } from '../../data/use/use-task.ts'
import { t, tn } from '../../language/words.ts'
import { CheckField } from '../form/field.tsx'
import { Form, FormActions } from '../form/form.tsx'
import { Loading, Progress } from '../page.tsx'
import { Dialog } from './dialog.tsx'

/** Kinds of failed messages that are resent only if the user chooses them. */
const CHOICES = ['unknown', 'canceled'] as const
type ResendChoice = (typeof CHOICES)[number]

const WORDS: Readonly<Record<ResendChoice, (count: number) => string>> = {
  unknown: (count) =>
    tn(
      'Also one of unknown outcome: it may have gone out, and reach a person twice',
      'Also {count} of unknown outcome: they may have gone out, and reach people twice',
      count,
    ),
  canceled: (count) => tn('Also one that was canceled', 'Also {count} that were canceled', count),
}

/**
 * Asks which failed messages to resend, and calls `send`. `send` must report its progress with `tell`, and
 * show the result. `counts` is undefined until the messages are counted; `fault` is why counting failed.
 */
export function ResendMessages({
  counts,
  fault,
  send,
  onClose,
}: {
  counts: FailedCounts | undefined
  fault?: Fault
  send: (
    chosen: readonly ResendChoice[],
    tell: (done: number) => void,
    stop: AbortSignal,
  ) => Promise<void>
  onClose: () => void
}) {
  const [chosen, setChosen] = useState<readonly ResendChoice[]>([])
  const [done, setDone] = useState(0)
  const total = counts
    ? (['plain', ...chosen] as FailedKind[]).reduce((sum, kind) => sum + counts[kind], 0)
    : 0
  const work = useLongTask(async (stop) => {
    setDone(0)
    await send(chosen, setDone, stop)
  })
  return (
    <Dialog title={t('Send failed ones again')} onClose={onClose}>
      <Form onSubmit={work.run} fault={work.fault ?? fault}>
        {!counts && !fault && <Loading what={t('Counting')} />}
        {counts && !work.busy && (
          <>
            <p>{makeSentence(counts.plain)}</p>
            {CHOICES.filter((kind) => counts[kind] > 0).map((kind) => (
              <CheckField
                key={kind}
                name={kind}
                label={WORDS[kind](counts[kind])}
                value={chosen.includes(kind)}
                onValue={(isIn) =>
                  setChosen(isIn ? [...chosen, kind] : chosen.filter((one) => one !== kind))
                }
              />
            ))}
            <p class="muted">
              {t(
                'Each goes out as a new message, by any of your devices, and counts against your quota. What was sent again before is not sent a third time.',
              )}
            </p>
          </>
        )}
        {work.busy && (
          <Progress
            value={done}
            max={total}
            label={t('{count} of {total} messages', { count: done, total })}
          />
        )}
        <FormActions
          icon="again"
          busy={work.busy}
          disabled={total === 0}
          onCancel={onClose}
          onStop={work.stop}
        >
          {total > 0 ? t('Send {count} again', { count: total }) : t('Send again')}
        </FormActions>
      </Form>
    </Dialog>
  )
}

const makeSentence = (count: number) =>
  count === 0
    ? t('No message failed for a reason that another try could mend.')
    : tn(
        'One failed message is sent once more.',
        '{count} failed messages are sent once more.',
        count,
      )
