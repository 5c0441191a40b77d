import { setPriority } from 'node:os'

/** Under a server that is busy on all cores, a backup gets a third of what the server gets. */
const NICENESS = 5

/** Lets other processes go first: on small machines a backup shares its core with the server that answers. */
export const giveWay = (): void => setPriority(NICENESS)
