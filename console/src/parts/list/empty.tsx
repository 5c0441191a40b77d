import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from '../icon.tsx'

/** The content of an empty page: a sentence on what to do first (`children`), and `action`, its button. */
export const Empty = ({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName
  title: string
  children: ComponentChildren
  action?: ComponentChildren
}) => (
  <section class="empty">
    <span class="empty-icon">
      <Icon name={icon} size={26} />
    </span>
    <h2>{title}</h2>
    <p>{children}</p>
    {action}
  </section>
)
