import { useState } from 'preact/hooks'
import { pb, postRequest } from '../../data/client.ts'
import { useFailed, writeFailedFilter } from '../../data/failed.ts'
import { readFault } from '../../data/fault.ts'
import type { Message } from '../../data/record-types.ts'
import { hasTeamRole, isUser } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { useLongTask, workInParallel } from '../../data/use/use-task.ts'
import { t, tn } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { ResendMessages } from '../../parts/dialog/resend-messages.tsx'
import { Button, Form, FormActions } from '../../parts/form/form.tsx'
import { Progress } from '../../parts/page.tsx'
import { showToast } from '../../parts/toast.tsx'
import type { Question } from './question.ts'

/** A filter without texts of campaigns, which only their campaign cancels or sends again. */
const excludeCampaigns = (filter: string) =>
  [filter && `(${filter}\n)`, 'sent_by.kind != "campaign"'].filter(Boolean).join(' && ')

/** A filter for messages that no device has begun to send. */
const WAITS = 'status = "pending" || status = "assigned"'

/** Buttons that send again or cancel what a filter finds. `onDone` is called when some were changed. */
export function FoundActions({
  question,
  filter,
  onDone,
}: {
  question: Question
  filter: string
  onDone: () => void
}) {
  const [isOpen, setOpen] = useState(false)
  if (!isUser() || !hasTeamRole('agent')) return null
  const kind = findActionKind(question)
  const close = () => setOpen(false)
  if (kind === 'failed')
    return (
      <>
        <Button icon="again" onClick={() => setOpen(true)}>
          {t('Send again')}
        </Button>
        {isOpen && <SendAgain filter={excludeCampaigns(filter)} onDone={onDone} onClose={close} />}
      </>
    )
  if (kind !== 'waiting') return null
  return (
    <>
      <Button icon="close" onClick={() => setOpen(true)}>
        {t('Cancel all')}
      </Button>
      {isOpen && (
        <CancelAll
          filter={`${excludeCampaigns(filter)} && (${WAITS})`}
          onDone={onDone}
          onClose={close}
        />
      )}
    </>
  )
}

/**
 * The kind of texts that the user looks for: by the chosen state, or if none is chosen, by a `status` in the
 * filter.
 */
function findActionKind({ state, filter }: Question): 'failed' | 'waiting' | undefined {
  if (state === 'failed' || (state === '' && /\bstatus\s*=\s*["']failed["']/.test(filter)))
    return 'failed'
  const waits = /\bstatus\s*=\s*["'](pending|assigned)["']/
  return state === 'scheduled' || state === 'waiting' || (state === '' && waits.test(filter))
    ? 'waiting'
    : undefined
}

interface DialogProps {
  readonly filter: string
  readonly onDone: () => void
  readonly onClose: () => void
}

const SendAgain = ({ filter, onDone, onClose }: DialogProps) => (
  <ResendMessages
    {...useFailed(filter)}
    onClose={onClose}
    send={async (chosen, tell, stop) => {
      const filters = (['plain', ...chosen] as const).map((kind) => writeFailedFilter(filter, kind))
      const { done } = await runForEach(filters, 'retry', tell, stop)
      showToast(tn('One message sent again', '{count} messages sent again', done))
      onDone()
      onClose()
    }}
  />
)

function CancelAll({ filter, onDone, onClose }: DialogProps) {
  const { total, loading } = useList<Message>('sms_messages', {
    filter,
    perPage: 1,
    fields: 'id',
    live: false,
  })
  const [through, setThrough] = useState(0)
  const work = useLongTask(async (stop) => {
    setThrough(0)
    const { done, late } = await runForEach([filter], 'cancel', setThrough, stop)
    const canceled = tn('One message canceled', '{count} messages canceled', done)
    showToast(
      late > 0 ? t('{canceled}, {late} had a device already', { canceled, late }) : canceled,
    )
    onDone()
    onClose()
  })
  return (
    <Dialog title={t('Cancel all of them?')} onClose={onClose}>
      <Form onSubmit={work.run} fault={work.fault}>
        {work.busy ? (
          <Progress
            value={through}
            max={total}
            label={t('{count} of {total} messages', { count: through, total })}
          />
        ) : (
          <p>
            {loading ? t('Counting') : makeSentence(total)}{' '}
            {t('Texts of campaigns stay: cancel them on the page of their campaign.')}
          </p>
        )}
        <FormActions
          kind="danger"
          busy={work.busy}
          disabled={total === 0}
          onCancel={onClose}
          cancel={t('Keep them')}
          onStop={work.stop}
        >
          {total > 0 ? t('Cancel {count}', { count: total }) : t('Cancel them')}
        </FormActions>
      </Form>
    </Dialog>
  )
}

const makeSentence = (total: number) =>
  total === 0
    ? t('None of them can be canceled any more: devices have them.')
    : tn(
        'One message that no device has yet will not be sent, and no longer counts against the quota.',
        '{count} messages that no device has yet will not be sent, and no longer count against the quota.',
        total,
      )

const PAGE = 500
/** Errors of one message only, after which the next message is tried. */
const OF_ONE: ReadonlySet<string> = new Set([
  'not_cancelable',
  'not_retriable',
  'message_not_found',
])

interface Done {
  readonly done: number
  readonly late: number
}

/**
 * Runs an action for each message that the filters find. Reads all ids first, because the actions may change
 * what the filters find. Reports progress to `tell`. Ends early when `stop` aborts. Throws errors that are
 * not in OF_ONE.
 */
async function runForEach(
  filters: readonly string[],
  action: 'cancel' | 'retry',
  tell: (through: number) => void,
  stop: AbortSignal,
): Promise<Done> {
  const counts = { done: 0, late: 0 }
  let isRefused = false
  const change = async (id: string) => {
    try {
      await postRequest(`/api/sms/messages/${id}/${action}`)
      counts.done++
    } catch (error) {
      isRefused = !OF_ONE.has(readFault(error).code)
      if (isRefused) throw error
      counts.late++
    }
    tell(counts.done + counts.late)
  }
  await workInParallel(await listIds(filters), change, () => stop.aborted || isRefused)
  return counts
}

async function listIds(filters: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const filter of filters) {
    const options = { filter, sort: '@rowid', fields: 'id', batch: PAGE }
    for (const { id } of await pb.collection<Message>('sms_messages').getFullList(options))
      ids.push(id)
  }
  return ids
}
