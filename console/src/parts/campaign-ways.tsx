import { hasTeamRole } from '../data/session.ts'
import { t } from '../language/words.ts'
import { makePageHref } from '../router.ts'
import './campaign-ways.css'
import { Icon, type IconName } from './icon.tsx'

interface Way {
  readonly icon: IconName
  readonly href: string
  readonly title: string
  readonly text: string
  readonly shortcut?: string
}

/** The three ways to text many. Agents have one of them. */
export function CampaignWays() {
  const ways: readonly (Way | false)[] = [
    hasTeamRole('admin') && {
      icon: 'groups',
      href: makePageHref('/send', { new: 'campaign' }),
      title: t('Write to groups'),
      text: t('The same text to groups of your contacts, once or again and again.'),
      shortcut: 'N',
    },
    hasTeamRole('agent') && {
      icon: 'upload',
      href: makePageHref('/send/list'),
      title: t('Send to a list'),
      text: t('A file with numbers: each row gets its own values.'),
    },
    hasTeamRole('admin') && {
      icon: 'clock',
      href: makePageHref('/campaigns/reminder'),
      title: t('Set up a reminder'),
      text: t('A text that is sent by itself before each date.'),
    },
  ]
  return (
    <ul class="campaign-ways">
      {ways.map(
        (way) =>
          way && (
            <li key={way.href}>
              <a href={way.href} aria-keyshortcuts={way.shortcut}>
                <Icon name={way.icon} size={22} />
                <strong>{way.title}</strong>
                <span>{way.text}</span>
              </a>
            </li>
          ),
      )}
    </ul>
  )
}
