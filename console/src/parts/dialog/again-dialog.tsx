import { useEffect, useRef, useState } from 'preact/hooks'
import { type FailedKind, useFailed } from '../../data/failed.ts'
import { useTask } from '../../data/use/use-task.ts'
import { Button } from '../form/button.tsx'
import { CheckField } from '../form/field.tsx'
import { Actions, Form } from '../form/form.tsx'
import { Loading, Progress } from '../wait.tsx'
import { Dialog } from './dialog.tsx'

/** Kinds that are sent again only if somebody says so. */
const CHOICES = ['unknown', 'canceled'] as const
export type AgainChoice = (typeof CHOICES)[number]

const WORDS: Readonly<Record<AgainChoice, (count: string) => string>> = {
  unknown: (count) => `Also ${count} of unknown outcome: they may have gone out, and reach people twice`,
  canceled: (count) => `Also ${count} that were canceled`,
}

/**
 * Asks which failed messages of a filter are sent once more, and has `send` do it, which tells how many are
 * done and shows what came of it.
 */
export function AgainDialog({
  filter,
  send,
  onClose,
}: {
  filter: string
  send: (chosen: readonly AgainChoice[], tell: (done: number) => void, stop: AbortSignal) => Promise<void>
  onClose: () => void
}) {
  const counts = useFailed(filter)
  const [chosen, setChosen] = useState<readonly AgainChoice[]>([])
  const [done, setDone] = useState(0)
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])
  const total = counts
    ? (['plain', ...chosen] as FailedKind[]).reduce((sum, kind) => sum + counts[kind], 0)
    : 0
  const work = useTask(async () => {
    stop.current = new AbortController()
    setDone(0)
    await send(chosen, setDone, stop.current.signal)
  })
  return (
    <Dialog title="Send failed ones again" onClose={onClose}>
      <Form onSubmit={work.run} fault={work.fault}>
        {!counts && <Loading what="Counting" />}
        {counts && !work.busy && (
          <>
            <p>{sentenceOf(counts.plain)}</p>
            {CHOICES.filter((kind) => counts[kind] > 0).map((kind) => (
              <CheckField
                key={kind}
                name={kind}
                label={WORDS[kind](counts[kind].toLocaleString())}
                value={chosen.includes(kind)}
                onValue={(isIn) => setChosen(isIn ? [...chosen, kind] : chosen.filter((one) => one !== kind))}
              />
            ))}
            <p class="muted">
              Each goes out as a new message, by any of your devices, and counts against your quota. What was
              sent again before is not sent a third time.
            </p>
          </>
        )}
        {work.busy && (
          <Progress
            value={done}
            max={total}
            label={`${done.toLocaleString()} of ${total.toLocaleString()} messages`}
          />
        )}
        <Actions>
          <Button type="submit" kind="primary" icon="again" busy={work.busy} disabled={total === 0}>
            {total > 0 ? `Send ${total.toLocaleString()} again` : 'Send again'}
          </Button>
          {work.busy ? (
            <Button onClick={() => stop.current.abort()}>Stop</Button>
          ) : (
            <Button onClick={onClose}>Cancel</Button>
          )}
        </Actions>
      </Form>
    </Dialog>
  )
}

const sentenceOf = (count: number) =>
  count === 0
    ? 'No message failed for a reason that another try could mend.'
    : count === 1
      ? 'One failed message is sent once more.'
      : `${count.toLocaleString()} failed messages are sent once more.`
