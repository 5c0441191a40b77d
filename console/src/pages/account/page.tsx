import { may, type Session, session } from '../../data/session.ts'
import { t } from '../../language/words.ts'
import { Page as Frame } from '../../parts/page.tsx'
import { EmailCard } from './email.tsx'
import { Notifications } from './notifications.tsx'
import { PasswordCard } from './password.tsx'
import { Profile } from './profile.tsx'
import { QuietHours } from './quiet-hours.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

/** The user's own account: profile, sign-in and sessions. */
export function Page() {
  const mine = session.value
  if (!mine) return null
  if (may('viewer') && !may('owner'))
    return (
      <Frame
        title={t('Account')}
        text={t(
          'Your email, password and sessions are under your own name, which you choose at the top of the navigation.',
        )}
      >
        {may('admin') && <QuietHours />}
        <Notifications user={mine.person.id} />
      </Frame>
    )
  return (
    <Frame title={t('Account')} text={textOf(mine)}>
      <div class="columns">
        <div class="stack">
          {mine.role === 'user' && <Profile user={mine.record} />}
          {mine.role === 'user' && may('owner') && <QuietHours />}
          <EmailCard session={mine} />
          {mine.role === 'user' && may('owner') && <Notifications user={mine.record.id} />}
        </div>
        <div class="stack">
          <PasswordCard session={mine} />
          <SecondFactor session={mine} />
        </div>
      </div>
      <Sessions />
    </Frame>
  )
}

function textOf({ role, team }: Session): string | undefined {
  if (role === 'superuser') return t('You are a superuser of this server.')
  if (team !== 'none') return undefined
  return t(
    'This is your sign-in. You have no account of your own: choose a team at the top of the navigation.',
  )
}
