import { useState } from 'preact/hooks'
import { type CampaignProgress, hasBegun } from '../../data/campaign-progress.ts'
import { postRequest } from '../../data/client.ts'
import type { Campaign, CampaignState } from '../../data/record-types.ts'
import { runOneAtATime, type Task, useTask } from '../../data/use/use-task.ts'
import { t, tn } from '../../language/words.ts'
import { askToConfirm, deleteRecord } from '../../parts/dialog/dialog.tsx'
import { ResendMessages } from '../../parts/dialog/resend-messages.tsx'
import { Button, ButtonLink, FaultNotice } from '../../parts/form/form.tsx'
import { showToast } from '../../parts/toast.tsx'
import { goToPage, makePageHref } from '../../router.ts'
import { EditDialog } from './edit-dialog.tsx'
import { FollowDialog } from './follow-dialog.tsx'

const UNDER_WAY: readonly CampaignState[] = ['scheduled', 'repeating', 'sending', 'paused']

export function Actions({
  campaign,
  progress,
}: {
  campaign: Campaign
  progress: CampaignProgress | undefined
}) {
  const { id, status } = campaign
  const [open, setOpen] = useState<'edit' | 'again' | 'follow'>()
  const path = `/api/campaigns/${id}`
  const pause = useTask(() => postRequest(`${path}/pause`))
  const resume = useTask(() => postRequest(`${path}/resume`))
  const cancel = useTask(async () => {
    if (!(await askToConfirm(campaign.repeat ? CANCEL_REPEAT : CANCEL))) return
    await postRequest(`${path}/cancel`)
    showToast(t('Campaign canceled'))
  })
  const remove = () =>
    deleteRecord(campaign, REMOVE, t('Campaign deleted'), () => goToPage('/campaigns'))
  const again = async (include: readonly string[]) => {
    const { retried } = await postRequest<{ retried: number }>(`/api/campaigns/${id}/retry`, {
      include,
    })
    setOpen(undefined)
    showToast(tn('One text sent again', '{count} texts sent again', retried))
  }
  const isUnderWay = UNDER_WAY.includes(status)
  const { plain = 0, unknown = 0, canceled = 0 } = progress?.retriable ?? {}
  const hasFailed = plain + unknown + canceled > 0
  const tasks = [pause, resume, cancel]
  const fault = tasks.find((task) => task.fault)?.fault
  const run = (task: Task<[]>) => void runOneAtATime(task, tasks)
  return (
    <>
      {/* first: "Duplicate" keeps its place at the end when the campaign ends under the pointer */}
      {!isUnderWay && (
        <Button kind="danger" icon="trash" needs="admin" onClick={() => void remove()}>
          {t('Delete')}
        </Button>
      )}
      {status === 'paused' && (
        <Button kind="primary" icon="send" busy={resume.busy} onClick={() => run(resume)}>
          {t('Resume')}
        </Button>
      )}
      {isUnderWay && status !== 'paused' && (
        <Button icon="pause" busy={pause.busy} onClick={() => run(pause)}>
          {t('Pause')}
        </Button>
      )}
      {isUnderWay && status !== 'sending' && (
        <Button icon="edit" onClick={() => setOpen('edit')}>
          {t('Change')}
        </Button>
      )}
      {isUnderWay && (
        <Button icon="close" busy={cancel.busy} onClick={() => run(cancel)}>
          {t('Cancel the campaign')}
        </Button>
      )}
      {(status === 'sending' || status === 'done') && hasFailed && (
        <Button icon="again" onClick={() => setOpen('again')}>
          {t('Send failed ones again')}
        </Button>
      )}
      {!campaign.repeat && !campaign.reminder && progress && hasBegun(progress) && (
        <Button icon="send" needs="admin" onClick={() => setOpen('follow')}>
          {t('Text them again')}
        </Button>
      )}
      {campaign.rows === 0 && !campaign.reminder && (
        <ButtonLink icon="copy" href={makePageHref('/send', { campaign: id })}>
          {t('Duplicate')}
        </ButtonLink>
      )}
      <FaultNotice fault={fault} />
      {open === 'edit' && (
        <EditDialog
          campaign={campaign}
          hasBegun={
            !campaign.repeat && !campaign.reminder && progress !== undefined && hasBegun(progress)
          }
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === 'follow' && <FollowDialog campaign={campaign} onClose={() => setOpen(undefined)} />}
      {open === 'again' && (
        <ResendMessages
          counts={progress?.retriable}
          send={again}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  )
}

const CANCEL = {
  title: t('Cancel the campaign?'),
  text: t(
    'Whoever has not got the text yet does not get it. Texts that a device already has are still sent.',
  ),
  action: t('Cancel the campaign'),
  keep: t('Keep it'),
  danger: true,
}

const CANCEL_REPEAT = {
  ...CANCEL,
  text: t('The campaign is not sent again. Cancel a run that is under way on its own page.'),
}

const REMOVE = {
  title: t('Delete the campaign?'),
  text: t('The campaign is deleted; its messages stay.'),
  keep: t('Keep it'),
}
