import { useState } from 'preact/hooks'
import { type CampaignProgress, hasBegun } from '../../data/campaign-progress.ts'
import { postRequest } from '../../data/client.ts'
import type { Campaign, CampaignState } from '../../data/record-types.ts'
import { runOneAtATime, type Task, useTask } from '../../data/use/use-task.ts'
import { t, tn } from '../../language/words.ts'
import { askToConfirm, deleteRecord } from '../../parts/dialog/dialog.tsx'
import { ResendMessages } from '../../parts/dialog/resend-messages.tsx'
import { Button, FaultNotice } from '../../parts/form/form.tsx'
import { ActionButton, ActionsMenu, type RowAction } from '../../parts/list/actions-column.tsx'
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
  const isPaused = status === 'paused'
  const toggle = useTask(() => postRequest(`${path}/${isPaused ? 'resume' : 'pause'}`))
  const cancel = useTask(async () => {
    if (!(await askToConfirm(campaign.repeat ? CANCEL_REPEAT : CANCEL))) return
    await postRequest(`${path}/cancel`)
    showToast(t('Campaign canceled'))
  })
  const remove = () =>
    deleteRecord(campaign, REMOVE, t('Campaign deleted'), () => goToPage('/campaigns'))
  const again = async (include: readonly string[]) => {
    const { retried } = await postRequest<{ retried: number }>(`${path}/retry`, { include })
    setOpen(undefined)
    showToast(tn('One text sent again', '{count} texts sent again', retried))
  }
  const isUnderWay = UNDER_WAY.includes(status)
  const isOnce = !campaign.repeat && !campaign.reminder
  const isBegun = isOnce && progress !== undefined && hasBegun(progress)
  const { plain = 0, unknown = 0, canceled = 0 } = progress?.retriable ?? {}
  const hasFailed = plain + unknown + canceled > 0
  const tasks = [toggle, cancel]
  const fault = tasks.find((task) => task.fault)?.fault
  const run = (task: Task<[]>) => void runOneAtATime(task, tasks)
  const rest: readonly (RowAction | false)[] = [
    (status === 'sending' || status === 'done') &&
      hasFailed && {
        icon: 'again',
        words: t('Send failed ones again'),
        onClick: () => setOpen('again'),
      },
    isBegun && {
      icon: 'send',
      words: t('Text them again'),
      needs: 'admin',
      onClick: () => setOpen('follow'),
    },
    campaign.rows === 0 &&
      !campaign.reminder && {
        icon: 'copy',
        words: t('Duplicate'),
        href: makePageHref('/send', { campaign: id }),
      },
    isUnderWay
      ? { icon: 'close', words: t('Cancel the campaign'), onClick: () => run(cancel) }
      : { icon: 'trash', words: t('Delete'), kind: 'danger', needs: 'admin', onClick: remove },
  ]
  const actions = rest.filter((action) => action !== false)
  const [first] = isUnderWay ? [] : actions.splice(0, 1)
  return (
    <>
      {isUnderWay && (
        <Button
          kind={isPaused ? 'primary' : 'plain'}
          icon={isPaused ? 'play' : 'pause'}
          busy={toggle.busy}
          onClick={() => run(toggle)}
        >
          {isPaused ? t('Resume') : t('Pause')}
        </Button>
      )}
      {isUnderWay && status !== 'sending' && (
        <Button icon="edit" onClick={() => setOpen('edit')}>
          {t('Change')}
        </Button>
      )}
      {first && <ActionButton {...first} />}
      <ActionsMenu actions={actions} />
      <FaultNotice fault={fault} />
      {open === 'edit' && (
        <EditDialog campaign={campaign} hasBegun={isBegun} onClose={() => setOpen(undefined)} />
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
