/** SVG paths of the icons, each in a square of 24 by 24 units. */
const PATHS = {
  send: 'M21 3 10 14M21 3l-7 18-4-7-7-4z',
  messages: 'M3 5h18v14H3zM3.5 6.5 12 13l8.5-6.5',
  conversations: 'M4 5h13v9H9l-5 4zM20 9v11l-4-3h-5',
  answers: 'M4 5h16v11H9l-5 4zM12.5 7l-3 4h4.5l-3 4',
  campaigns: 'M4 10v4h3l8 5V5l-8 5zM18 9a4 4 0 0 1 0 6M7 14l1 6h3l-1-4',
  contacts: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 20c0-4 4-6 8-6s8 2 8 6',
  picture: 'M3 5h18v14H3zM8 10.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M4 18l6-6 4 4 3-3 3 3',
  person: 'M3 5h18v14H3zM9 11a2 2 0 1 0 0-4 2 2 0 0 0 0 4M6 16c0-3.5 6-3.5 6 0M15 10h3M15 14h3',
  groups:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2 20c0-4 3-6 7-6s7 2 7 6M16 4a3.5 3.5 0 0 1 0 7M18 14c3 1 4 3 4 6',
  templates: 'M6 3h9l4 4v14H6zM14 3v5h5M9 12h7M9 16h5',
  devices: 'M7 2.5h10v19H7zM11 18.5h2',
  keys: 'M8 19a4 4 0 1 1 0-8 4 4 0 0 1 0 8M11 12.5 20 3.5M16 7.5l3 3',
  webhooks:
    'M9 7a3.5 3.5 0 1 1 5 3l3 5M14 17H8.5M7 13l3-5M18 20a3 3 0 1 0 0-6 3 3 0 0 0 0 6M6 20a3 3 0 1 0 0-6 3 3 0 0 0 0 6',
  verify: 'M12 3l8 3v6c0 5-3.5 7.5-8 9-4.5-1.5-8-4-8-9V6zM8.5 12l2.5 2.5 4.5-5',
  hooks: 'M12 3v10M8 9l4 4 4-4M4 14v6h16v-6',
  usage: 'M4 20h16M7 20v-7M12 20V5M17 20v-10',
  today: 'M4 5h16v15H4zM4 9.5h16M8 3v4M16 3v4M9 14.5l2 2 4-4',
  users:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6M6 18.8c2-4.4 10-4.4 12 0',
  assign: 'M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21c0-6 6-8.5 12-6M18.5 15v6M15.5 18h6',
  health: 'M3 12h4l3-8 4 16 3-8h4',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M9 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5',
  backups: 'M4 4h16v5H4zM5.5 9v11h13V9M10 13h4',
  collections: 'M4 4h16v16H4zM4 9h16M4 14.5h16M10 9v11',
  more: 'M4 6h16M4 12h16M4 18h16',
  dots: 'M5 12.5a.5.5 0 1 0 0-1 .5.5 0 0 0 0 1M12 12.5a.5.5 0 1 0 0-1 .5.5 0 0 0 0 1M19 12.5a.5.5 0 1 0 0-1 .5.5 0 0 0 0 1',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M4 12.5 10 18 20 6',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16 16l5 5',
  left: 'M15 5l-7 7 7 7',
  right: 'M9 5l7 7-7 7',
  down: 'M5 9l7 7 7-7',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M5 5l1.7 1.7M17.3 17.3 19 19M5 19l1.7-1.7M17.3 6.7 19 5',
  moon: 'M20 14.5A8.5 8.5 0 1 1 9.5 4 7 7 0 0 0 20 14.5z',
  system: 'M3 4h18v12H3zM8 20h8M12 16v4',
  pause: 'M8 5v14M16 5v14',
  play: 'M8 5v14l11-7z',
  leave: 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6',
  edit: 'M4 20h4L20 8l-4-4L4 16z',
  again: 'M20 11a8 8 0 1 0-2.3 6.5M20 4v7h-7',
  download: 'M12 3v12M7 11l5 5 5-5M4 21h16',
  upload: 'M12 16V4M7 8l5-5 5 5M4 21h16',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5l3.5 2',
  warning: 'M12 3 2 20h20zM12 9v5M12 17v.3',
  in: 'M17 7 7 17M7 9v8h8',
  out: 'M7 17 17 7M9 7h8v8',
  help: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 16.7v.3',
  audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 14l2 2 4-4',
  logs: 'M4 4h16v16H4zM7.5 9l3 3-3 3M12.5 15.5h4',
  tag: 'M4 4h8l8 8-8 8-8-8z',
  filter: 'M3 5h18l-7 8v6l-4 2v-8z',
} as const

export type IconName = keyof typeof PATHS

/** An icon. Screen readers skip it, so a text must have its meaning. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    class={name === 'left' || name === 'right' ? 'icon turns' : 'icon'}
    viewBox="0 0 24 24"
    width={size}
    height={size}
    aria-hidden="true"
    focusable="false"
  >
    <path d={PATHS[name]} />
  </svg>
)
