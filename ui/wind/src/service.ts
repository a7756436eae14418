import { createApi } from '@quartet/kit';
import type { paths } from './api.d.ts';

export const api = createApi<paths>();
