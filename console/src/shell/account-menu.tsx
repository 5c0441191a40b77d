import { type Session, signOut } from '../data/session.ts'
import { type Theme, theme } from '../data/theme.ts'
import { forgetDrafts } from '../data/use/use-draft.ts'
import { t } from '../language/words.ts'
import { confirmed } from '../parts/dialog/dialog.tsx'
import { Button } from '../parts/form/form.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { mayLeave, to } from '../router.ts'

export const AccountMenu = ({ session }: { session: Session }) => (
  <div class="account-menu">
    <HelpLinks />
    <ThemeSwitch />
    <div class="account">
      <a href={to('/account')} title={t('Your account')}>
        <strong>{session.person.email}</strong>
        <span>{session.role === 'superuser' ? t('Superuser') : session.person.name || t('User')}</span>
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
  const { discardUnsent, unsentTexts } = await import('../data/connection/outbox.ts')
  const isSure =
    unsentTexts().length === 0 ||
    (await confirmed({
      title: t('Sign out with unsent texts?'),
      text: t('They wait for a connection, and are discarded when you sign out.'),
      action: t('Sign out'),
      danger: true,
    }))
  if (isSure) unsentTexts().forEach(discardUnsent)
  return isSure
}

const THEMES: readonly (readonly [Theme, IconName, words: string])[] = [
  ['system', 'system', t('As the system')],
  ['light', 'sun', t('Light')],
  ['dark', 'moon', t('Dark')],
]

export const ThemeSwitch = () => (
  <fieldset class="theme-switch">
    <legend class="unseen">{t('Colours')}</legend>
    {THEMES.map(([value, icon, words]) => (
      <label key={value} title={words}>
        <input
          class="unseen"
          type="radio"
          name="theme"
          checked={theme.value === value}
          onChange={() => {
            theme.value = value
          }}
        />
        <Icon name={icon} size={16} />
        <span class="unseen">{words}</span>
      </label>
    ))}
  </fieldset>
)

export const HelpLinks = () => (
  <p class="help-links">
    <a href={to('/help')}>{t('Help')}</a>
    <a href="/docs">{t('API docs')}</a>
  </p>
)
