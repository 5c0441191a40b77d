import { discardUnsent, unsentTexts } from '../data/connection/outbox.ts'
import { type Session, signOut } from '../data/session.ts'
import { forgetDrafts } from '../data/use/use-draft.ts'
import { t } from '../language/words.ts'
import { confirmed } from '../parts/dialog/dialog.tsx'
import { Button } from '../parts/form/form.tsx'
import { mayLeave, to } from '../router.ts'
import { HelpLinks } from './help-links.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

export const AccountMenu = ({ session }: { session: Session }) => (
  <div class="account-menu">
    <HelpLinks />
    <ThemeSwitch />
    <div class="account">
      <a href={to('/account')} title={t('Your account')}>
        <strong>{session.person.email}</strong>
        <span>
          {session.role === 'superuser' || session.isVisit
            ? t('Superuser')
            : session.person.name || t('User')}
        </span>
        <span class="unseen">{t(': your account')}</span>
      </a>
      <Button kind="quiet" icon="leave" iconOnly onClick={() => void leave()}>
        {t('Sign out')}
      </Button>
    </div>
  </div>
)

async function leave(): Promise<void> {
  if (!(await mayLeave()) || !(await mayForget())) return
  forgetDrafts()
  signOut()
}

async function mayForget(): Promise<boolean> {
  const isSure =
    unsentTexts().length === 0 ||
    (await confirmed({
      title: t('Sign out with unsent texts?'),
      text: t('The texts wait for a connection. Signing out discards them.'),
      action: t('Sign out'),
      danger: true,
    }))
  if (isSure) unsentTexts().forEach(discardUnsent)
  return isSure
}
