import { type BackupStatus, formatBytes } from '../../data/backups.ts'
import type { Answer } from '../../data/use/use-answer.ts'
import { inWords } from '../../data/words/fault-sentences.ts'
import { t, tx } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { Loading, Progress } from '../../parts/wait.tsx'

const JOBS = { backup: t('Making a backup'), restore: t('Restoring a backup') } as const
const FAILED = { backup: t('The last backup failed'), restore: t('The last restore failed') } as const

/** The last backup, the running job, and errors. */
export function State({ status: { value, fault } }: { status: Answer<BackupStatus> }) {
  if (!value) return fault ? <Notice kind="wrong">{fault.message}</Notice> : <Loading />
  const { lastBackup, lastRestore, lastFailure, running, overdue, next } = value
  return (
    <Card>
      <div class="backups-state">
        {lastFailure && (
          <Notice kind="warning">
            {FAILED[lastFailure.action]} <Time at={lastFailure.at} />: {inWords(lastFailure.message)}
          </Notice>
        )}
        {overdue && (
          <Notice kind="warning">{t('There is no recent backup. Make one now, or set a schedule.')}</Notice>
        )}
        <dl>
          <div>
            <dt>{t('Last backup')}</dt>
            <dd>
              <strong>
                <Time at={lastBackup?.at ?? ''} none={t('None yet')} />
              </strong>
            </dd>
          </div>
          {lastBackup && (
            <>
              <div>
                <dt>{t('Size')}</dt>
                <dd>{formatBytes(lastBackup.size)}</dd>
              </div>
              <div>
                <dt>{t('Created by')}</dt>
                <dd>{lastBackup.by === 'schedule' ? t('the schedule') : lastBackup.by}</dd>
              </div>
            </>
          )}
          {next && (
            <div>
              <dt>{t('Next')}</dt>
              <dd>
                <Time at={next} />
              </dd>
            </div>
          )}
          {lastRestore && (
            <div>
              <dt>{t('Last restored')}</dt>
              <dd>
                {tx('{when}, from {name}', { when: <Time at={lastRestore.at} />, name: lastRestore.key })}
              </dd>
            </div>
          )}
        </dl>
        {running && (
          <Progress
            value={running.done}
            max={running.total}
            label={`${JOBS[running.action]}${toldStep(running.step, running.done, running.total)}`}
          />
        )}
      </div>
    </Card>
  )
}

const toldStep = (step: string, done: number, total: number) =>
  step === ''
    ? '…'
    : `: ${step.replaceAll('_', ' ').trim()}, ${t('{count} of {total}', { count: done, total })}`
