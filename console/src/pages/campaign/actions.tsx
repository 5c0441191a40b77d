import { useState } from 'preact/hooks'
import { type CampaignProgress, filterOf } from '../../data/campaigns.ts'
import { pb } from '../../data/client.ts'
import type { Campaign, CampaignState } from '../../data/records.ts'
import { useTask } from '../../data/use/use-task.ts'
import { AgainDialog } from '../../parts/dialog/again-dialog.tsx'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { go, to } from '../../router.ts'
import { EditDialog } from './edit-dialog.tsx'

const UNDER_WAY: readonly CampaignState[] = ['scheduled', 'sending', 'paused']

/** What can be done with a campaign in its state. */
export function Actions({
  campaign,
  progress,
}: {
  campaign: Campaign
  progress: CampaignProgress | undefined
}) {
  const { id, status } = campaign
  const [open, setOpen] = useState<'edit' | 'again'>()
  const post = (verb: string) => pb.send(`/api/campaigns/${id}/${verb}`, { method: 'POST' })
  const pause = useTask(() => post('pause'))
  const resume = useTask(() => post('resume'))
  const cancel = useTask(async () => {
    if (!(await confirmed(CANCEL))) return
    await post('cancel')
    toast('Campaign canceled')
  })
  const remove = useTask(async () => {
    if (!(await confirmed(REMOVE))) return
    await pb.collection('campaigns').delete(id)
    toast('Campaign deleted')
    go('/campaigns')
  })
  const again = async (include: readonly string[]) => {
    const { retried } = await pb.send<{ retried: number }>(`/api/campaigns/${id}/retry`, {
      method: 'POST',
      body: { include },
    })
    setOpen(undefined)
    toast(retried === 1 ? 'One text sent again' : `${retried.toLocaleString()} texts sent again`)
  }
  const isUnderWay = UNDER_WAY.includes(status)
  const hasFailed = (progress?.counts.failed ?? 0) > 0
  const fault = pause.fault ?? resume.fault ?? cancel.fault ?? remove.fault
  return (
    <>
      <div class="row">
        {status === 'paused' && (
          <Button kind="primary" icon="send" busy={resume.busy} onClick={() => void resume.run()}>
            Resume
          </Button>
        )}
        {(status === 'scheduled' || status === 'sending') && (
          <Button icon="pause" busy={pause.busy} onClick={() => void pause.run()}>
            Pause
          </Button>
        )}
        {isUnderWay && status !== 'sending' && (
          <Button icon="edit" onClick={() => setOpen('edit')}>
            Edit
          </Button>
        )}
        {isUnderWay && (
          <Button icon="close" busy={cancel.busy} onClick={() => void cancel.run()}>
            Cancel the campaign
          </Button>
        )}
        {(status === 'sending' || status === 'done') && hasFailed && (
          <Button icon="again" onClick={() => setOpen('again')}>
            Send failed ones again
          </Button>
        )}
        <ButtonLink icon="copy" href={to('/send', { campaign: id })}>
          Duplicate
        </ButtonLink>
        {!isUnderWay && (
          <Button icon="trash" busy={remove.busy} onClick={() => void remove.run()}>
            Delete
          </Button>
        )}
      </div>
      {fault && <Notice kind="wrong">{fault.message}</Notice>}
      {open === 'edit' && <EditDialog campaign={campaign} onClose={() => setOpen(undefined)} />}
      {open === 'again' && (
        <AgainDialog filter={`(${filterOf(campaign)})`} send={again} onClose={() => setOpen(undefined)} />
      )}
    </>
  )
}

const CANCEL = {
  title: 'Cancel the campaign?',
  text: 'Whoever has not got the text yet does not get it. What a device has already goes on.',
  action: 'Cancel the campaign',
  keep: 'Keep it',
  danger: true,
}

const REMOVE = {
  title: 'Delete the campaign?',
  text: 'It leaves the list; its messages stay.',
  action: 'Delete',
  keep: 'Keep it',
  danger: true,
}
