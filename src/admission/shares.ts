import { Places } from './places.ts'

// Limits per holder from the settings. There is none for all holders together.

const ofServers = new WeakMap<object, Places>()

/** Places for event streams and waiting claims of a server; `server`: any object of it. */
export function streamPlaces(server: object, share: number): Places {
  const places =
    ofServers.get(server) ?? new Places({ name: 'event streams and waiting claims', total: Infinity, share })
  ofServers.set(server, places)
  return places
}

/** Connections of a server, by address. */
export const connectionPlaces = (share: number) =>
  new Places<string>({ name: 'connections', total: Infinity, share })
