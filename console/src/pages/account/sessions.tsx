import type { RecordModel } from 'pocketbase'
import { pb } from '../../data/client.ts'
import { renewSession } from '../../data/session.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Card } from '../../parts/page.tsx'
import { Badge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { Loading } from '../../parts/wait.tsx'
import { programOf } from './program.ts'

interface OpenSession {
  readonly id: string
  readonly created: string
  readonly used_at: string
  readonly ip: string
  readonly user_agent: string
  readonly current: boolean
}

/** Where the account is signed in, and the way to end all sessions but this one. */
export function Sessions() {
  const { value, fault } = useAnswer<{ items: readonly OpenSession[] }>('/api/account/sessions')
  const items = value?.items ?? []
  return (
    <Card
      title="Where you are signed in"
      actions={items.length > 1 && <Button onClick={() => void endOthers()}>Sign out everywhere else</Button>}
    >
      {fault && <Notice kind="wrong">{fault.message}</Notice>}
      {!value && !fault && <Loading />}
      {value && <Table caption="Sessions" columns={COLUMNS} rows={items} />}
    </Card>
  )
}

const COLUMNS: readonly Column<OpenSession>[] = [
  {
    title: 'Browser or program',
    cell: ({ user_agent, current }) => (
      <>
        <span title={user_agent}>{programOf(user_agent)}</span>{' '}
        {current && <Badge tone="good">This one</Badge>}
      </>
    ),
  },
  { title: 'Address', cell: ({ ip }) => ip || '–' },
  { title: 'Signed in', cell: ({ created }) => <Time at={created} /> },
  { title: 'Last active', cell: ({ used_at }) => <Time at={used_at} /> },
]

async function endOthers(): Promise<void> {
  const isSure = await confirmed({
    title: 'Sign out everywhere else?',
    text: 'Every other browser and program has to sign in again. API keys and devices go on.',
    action: 'Sign out everywhere else',
  })
  if (!isSure) return
  try {
    const path = '/api/account/end-other-sessions'
    const { token, record } = await pb.send<{ token: string; record: RecordModel }>(path, { method: 'POST' })
    renewSession(token, record)
    toast('You are signed in here alone')
  } catch (error) {
    toastFault(error)
  }
}
