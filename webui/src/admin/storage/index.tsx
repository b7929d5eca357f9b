import { Route, Routes } from '../router';
import { StorageForm } from './StorageForm';
import { StorageList } from './StorageList';

/** Storage manages where files are kept (§7.8). */
export default function Storage() {
  return (
    <Routes>
      <Route index element={<StorageList />} />
      <Route path="create" element={<StorageForm />} />
      <Route path=":id" element={<StorageForm />} />
    </Routes>
  );
}
