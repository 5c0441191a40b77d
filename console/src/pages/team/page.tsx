import { useState } from 'preact/hooks'
import type { UserSettings } from '../../data/record-types.ts'
import { hasTeamRole } from '../../data/session.ts'
import { usePeople } from '../../data/team/people.ts'
import { useTask } from '../../data/use/use-task.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { SelectField } from '../../parts/form/field.tsx'
import { Button, FaultNotice } from '../../parts/form/form.tsx'
import { Card, Page as Frame, Loading } from '../../parts/page.tsx'
import { showToast } from '../../parts/toast.tsx'
import { AgentLists } from './agent-lists.tsx'
import { Changes, useChanges } from './changes.tsx'
import { Invitations, Invite, useInvitations } from './invitations.tsx'
import { Members } from './members.tsx'
import { RequiredFactor } from './required-factor.tsx'
import { SessionDays } from './session-days.tsx'

export function Page() {
  const [isInviting, setInviting] = useState(false)
  const isAdmin = hasTeamRole('admin')
  const people = usePeople()
  const invitations = useInvitations(isAdmin)
  const changes = useChanges(isAdmin)
  // all cards at once: a card that is read later would move those below it
  const isReading =
    people.members.loading ||
    (isAdmin && (invitations.loading || changes.loading || ownSettings.value === undefined))
  return (
    <Frame
      title={t('Team')}
      text={t('People who answer the texts of this account, each with their own sign-in.')}
      actions={
        <Button
          kind="primary"
          icon="plus"
          needs="admin"
          aria-keyshortcuts="N"
          onClick={() => setInviting(true)}
        >
          {t('Invite somebody')}
        </Button>
      }
    >
      {isReading && <Loading />}
      {!isReading && <Members people={people} />}
      {!isReading && isAdmin && (
        <>
          <Invitations list={invitations} />
          <Assigning />
          {hasTeamRole('owner') && <RequiredFactor />}
          <SessionDays />
          {hasTeamRole('owner') && <AgentLists />}
          <Changes list={changes} />
        </>
      )}
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </Frame>
  )
}

const WAYS = [
  ['', t('Nobody at first')],
  ['answerer', t('The first to answer')],
  ['turns', t('The team, in turns')],
] as const

function Assigning() {
  const save = useTask(async (assign: string) => {
    await saveOwnSettings({ assign: assign as UserSettings['assign'] })
    showToast(t('Saved'))
  })
  const assign = ownSettings.value?.assign ?? ''
  return (
    <Card title={t('Assigning')}>
      <FaultNotice fault={save.fault} />
      <SelectField
        label={t('Unassigned conversations go to')}
        name="assign"
        choices={WAYS}
        value={assign}
        onValue={(assign) => void save.run(assign)}
        disabled={save.busy}
        hint={
          assign === 'turns' &&
          t('A new text goes to the owner, admin or agent who has waited longest.')
        }
      />
    </Card>
  )
}
