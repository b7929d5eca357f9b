import { Route, Routes } from '../router';
import { MountForm } from './MountForm';
import { MountList } from './MountList';

/** Mounts manages where storages appear in the tree of folders (§7.7). */
export default function Mounts() {
  return (
    <Routes>
      <Route index element={<MountList />} />
      <Route path="create" element={<MountForm />} />
      <Route path=":id" element={<MountForm />} />
    </Routes>
  );
}
