package pasteport.site_test

import data.pasteport.site

_folder_unshared_refuses(type, action, path) if {
	some entry in site.deny with input as {
		"subject": {"type": type, "guest": false, "basic_path": path},
		"action": action,
	}
		with site._unshared_folders as {"/a", "/b/c"}
	entry.code == "folder_unshared"
}

test_keys_of_a_folder_share_nothing if {
	_folder_unshared_refuses("apikey", "mount.share", "/a")
	_folder_unshared_refuses("apikey", "paste.create", "/b/c/d")
	not _folder_unshared_refuses("apikey", "mount.share", "/ab")
	not _folder_unshared_refuses("apikey", "mount.share", "/b")
	not _folder_unshared_refuses("apikey", "mount.upload", "/a")
	not _folder_unshared_refuses("admin", "mount.share", "/a")
}

# What was filled in.
test_folder_unshared_has_values if {
	every folder in site._unshared_folders {
		startswith(folder, "/")
	}
	count(site._unshared_folders) > 0
}
