import { useState } from 'preact/hooks'
import { may } from '../../data/session.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { Assigning } from './assigning.tsx'
import { Changes } from './changes.tsx'
import { Invitations } from './invitations.tsx'
import { Invite } from './invite.tsx'
import { Members } from './members.tsx'
import './page.css'

/** The account's members, their roles and their changes. */
export function Page() {
  const [isInviting, setInviting] = useState(false)
  return (
    <Frame
      title={t('Team')}
      text={t('People who answer the texts of this account, each with their own sign-in.')}
      actions={
        <Button kind="primary" icon="plus" needs="admin" onClick={() => setInviting(true)}>
          {t('Invite somebody')}
        </Button>
      }
    >
      <Members />
      {may('admin') && <Invitations />}
      {may('admin') && <Assigning />}
      {may('admin') && <Changes />}
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </Frame>
  )
}
