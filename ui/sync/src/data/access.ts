/** What the signed-in person may do; the server checks it as well. */
import { session } from '../service.ts';

/** May change devices, folders and settings. */
export const isAdmin = (): boolean => session.state?.role === 'admin';

/** May resolve conflicts, restore versions and upload files. */
export const isEditor = (): boolean => isAdmin() || session.state?.role === 'editor';
