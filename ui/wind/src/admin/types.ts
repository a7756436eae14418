import type { components } from '../api.d.ts';

type Schemas = components['schemas'];

export type AdminForecasts = Schemas['AdminForecasts'];
export type AdminModel = Schemas['AdminModel'];
export type AdminRun = Schemas['AdminRun'];
export type AdminSource = Schemas['AdminSource'];
export type AdminStat = Schemas['AdminStat'];
export type AdminStorage = Schemas['AdminStorage'];
export type Invite = Schemas['Invite'];
export type MadeInvite = Schemas['MadeInvite'];
export type MapSpot = Schemas['MapSpot'];
export type Overview = Schemas['AdminOverview'];
export type Problem = Schemas['Problem'];
export type RecoveryLink = Schemas['RecoveryLink'];
export type Role = 'user' | 'admin';
export type Setting = Schemas['Setting'];
export type Source = Schemas['SourceAge'];
export type Task = Schemas['Task'];
export type User = Schemas['UserShown'];
export type LogLine = Schemas['LogLine'];
